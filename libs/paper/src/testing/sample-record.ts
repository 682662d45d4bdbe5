import { SAMPLE_SCHEMA, type Sample } from '@capo/samples';

/** A whole sample record from the parts that a test is about. */
export function sampleRecord(
  parts: Pick<Sample, 'problemId' | 'drawIndex' | 'answer' | 'verdict'> & Partial<Sample>,
): Sample {
  return {
    schema: SAMPLE_SCHEMA,
    id: `${parts.problemId}#${parts.drawIndex}`,
    run: 'run',
    benchmark: 'suite',
    prompt: 'p',
    response: 'r',
    tokens: 2,
    gold: '1',
    verdictReason: null,
    logprob: null,
    stop: 'eos',
    sampler: 'test',
    seed: null,
    graderVersion: 'test/1',
    ...parts,
  };
}
