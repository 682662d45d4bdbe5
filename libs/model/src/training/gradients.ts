import { tf } from '../backend/tf.js';

/** A loss and its gradient by parameter name. */
export interface LossAndGradients {
  loss: number;
  /** To be disposed by whoever consumes them (`AdamW.update` does). */
  gradients: Map<string, tf.Tensor>;
}

/** Evaluates a scalar loss and its gradient with respect to named parameters. */
export function lossAndGradients(
  parameters: ReadonlyMap<string, tf.Variable>,
  loss: () => tf.Scalar,
): LossAndGradients {
  const nameOf = new Map([...parameters].map(([name, variable]) => [variable.name, name]));
  const { value, grads } = tf.variableGrads(() => tf.tidy(loss), [...parameters.values()]);
  const gradients = new Map<string, tf.Tensor>();
  for (const [variable, gradient] of Object.entries(grads)) gradients.set(nameOf.get(variable) as string, gradient);
  const number = value.dataSync()[0];
  value.dispose();
  return { loss: number, gradients };
}
