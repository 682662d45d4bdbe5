/** Numbers in a plain or a typed array. */
export type Numbers = ArrayLike<number>;

/**
 * Checks that scores and labels belong together: equal lengths, labels 0 or 1, no score NaN.
 *
 * @throws RangeError that names the first bad index
 */
export function checkScoresAndLabels(scores: Numbers, labels: Numbers): void {
  if (scores.length !== labels.length) {
    throw new RangeError(`${scores.length} scores but ${labels.length} labels`);
  }
  for (let i = 0; i < scores.length; i++) {
    if (Number.isNaN(scores[i])) throw new RangeError(`score ${i} is NaN`);
    if (labels[i] !== 0 && labels[i] !== 1) throw new RangeError(`label ${i} is ${labels[i]}; labels are 0 or 1`);
  }
}

/** Checks that every score is a probability. @throws RangeError that names the first bad index */
export function checkProbabilities(scores: Numbers): void {
  for (let i = 0; i < scores.length; i++) {
    if (!(scores[i] >= 0 && scores[i] <= 1)) {
      throw new RangeError(`score ${i} is ${scores[i]}, which is no probability in [0, 1]`);
    }
  }
}
