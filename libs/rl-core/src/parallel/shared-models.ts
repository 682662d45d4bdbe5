import { Adapters, Decoder, tf } from '@capo/model';
import { stream } from '@capo/samples';
import type { Models } from './compute.js';

/** Tensors by name in memory that threads share. */
type SharedTensors = Map<string, Float32Array>;

/** All that another thread needs to make the same decoder. */
interface SharedDecoder {
  config: Decoder['config'];
  parameters: SharedTensors;
  adapters: { options: Adapters['options']; parameters: SharedTensors } | null;
}

/** The models of a run, in shared memory. */
export interface SharedModels {
  policy: SharedDecoder;
  reference: SharedDecoder | null;
}

/** Copies the models to shared memory, where threads that start now or later find them. */
export function shareModels({ policy, reference }: Models): SharedModels {
  return { policy: shareDecoder(policy), reference: reference && shareDecoder(reference) };
}

/** Brings what is trained of a decoder up to date in shared memory. No thread may read it meanwhile. */
export function publishWeights(policy: Decoder, shared: SharedModels): void {
  const target = trainableOf(shared.policy);
  for (const [name, variable] of policy.trainable) target.get(name)?.set(variable.dataSync() as Float32Array);
}

/** Takes what is trained of a decoder from shared memory. */
export function adoptWeights(policy: Decoder, shared: SharedModels): void {
  const source = trainableOf(shared.policy);
  for (const [name, variable] of policy.trainable) {
    // A new tensor: the backend's matMul keeps a packed copy of the old one.
    tf.tidy(() => variable.assign(tf.tensor(source.get(name) as Float32Array, variable.shape)));
  }
}

/** Makes the models anew in this thread. */
export function openModels({ policy, reference }: SharedModels): Models {
  return { policy: openDecoder(policy), reference: reference && openDecoder(reference) };
}

function trainableOf({ adapters, parameters }: SharedDecoder): SharedTensors {
  return adapters?.parameters ?? parameters;
}

function shareDecoder(decoder: Decoder): SharedDecoder {
  const { config, adapters } = decoder;
  return {
    config,
    parameters: shareTensors(decoder.parameters),
    adapters: adapters && { options: adapters.options, parameters: shareTensors(adapters.parameters) },
  };
}

function shareTensors(variables: ReadonlyMap<string, tf.Variable>): SharedTensors {
  const shared: SharedTensors = new Map();
  for (const [name, variable] of variables) {
    const data = new Float32Array(new SharedArrayBuffer(4 * variable.size));
    data.set(variable.dataSync() as Float32Array);
    shared.set(name, data);
  }
  return shared;
}

function openDecoder({ config, parameters, adapters }: SharedDecoder): Decoder {
  const decoder = new Decoder(config, parameters);
  // Nothing is drawn from the stream, since all of the adapters' weights are given.
  if (adapters) decoder.adapters = new Adapters(config, adapters.options, stream(0), adapters.parameters);
  return decoder;
}
