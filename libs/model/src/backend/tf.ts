import * as tf from '@tensorflow/tfjs';

/** The tensor library, imported in one place so that every room uses the same one. */
export { tf };
