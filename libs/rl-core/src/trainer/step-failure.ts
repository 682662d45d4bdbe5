import { ExternalError } from '@capo/samples';

/** What a step that failed was about to do, for whoever looks into it. */
export interface StepDump {
  step: number;
  loss: number | null;
  gradientNorm: number | null;
  learningRate: number;
  problems: string[];
  rewards: (number | null)[];
  /** Length-normalised log-probabilities. */
  lpm: (number | null)[];
  advantages: (number | null)[];
  responses: string[];
}

/** A step whose loss or gradient is not finite. Nothing was changed by it. */
export class StepFailure extends ExternalError {
  constructor(readonly dump: StepDump) {
    super(
      `Step ${dump.step}: the loss is ${dump.loss ?? 'not finite'} and the gradient's norm ${dump.gradientNorm ?? 'not finite'}; nothing was changed.`,
      'failed-step.json holds what the step was about to learn from. Try a smaller learning rate; the run goes on from its last checkpoint.',
    );
  }
}
