import type { StepMetrics } from './step-metrics.js';

/** What a person who watches wants to see of a step, in one short line. */
export function progressLine({ reward, auc, entropy, tokens }: StepMetrics, seconds: number): string {
  const show = (value: number | null) => value?.toFixed(3) ?? 'n/a';
  const rate = Math.round(tokens / seconds).toLocaleString('en-US');
  return `accuracy ${show(reward)} AUC ${show(auc)} entropy ${show(entropy)} ${rate} tokens/s`;
}
