/**
 * The class of each answer under an equivalence, -1 for no answer. Equivalence is made transitive: when a equals b and b
 * equals c, all three are one class, whatever the grader says of a and c. Equal texts are compared once. Classes are
 * numbered in the order in which they first occur.
 *
 * @param equal whether two answers say the same; asked for each pair of different texts at most once, and only while they
 * are in different classes
 */
export function clusterAnswers(
  answers: readonly (string | null)[],
  equal: (a: string, b: string) => boolean,
): Int32Array {
  const texts: string[] = [];
  const indexOf = new Map<string, number>();
  for (const answer of answers) {
    if (answer === null || indexOf.has(answer)) continue;
    indexOf.set(answer, texts.length);
    texts.push(answer);
  }
  const parent = texts.map((_, i) => i);
  const root = (i: number): number => {
    let at = i;
    while (parent[at] !== at) at = parent[at];
    return at;
  };
  for (let i = 1; i < texts.length; i++) {
    for (let j = 0; j < i; j++) {
      const [a, b] = [root(i), root(j)];
      if (a !== b && equal(texts[j], texts[i])) parent[Math.max(a, b)] = Math.min(a, b);
    }
  }
  const classOf = new Map<number, number>();
  return Int32Array.from(answers, (answer) => {
    if (answer === null) return -1;
    const at = root(indexOf.get(answer) as number);
    if (!classOf.has(at)) classOf.set(at, classOf.size);
    return classOf.get(at) as number;
  });
}

/** An equivalence that remembers what it was asked, in either order. */
export function cachedEquality(equal: (a: string, b: string) => boolean): (a: string, b: string) => boolean {
  const known = new Map<string, boolean>();
  return (a, b) => {
    if (a === b) return true;
    const key = a < b ? `${a}\u0000${b}` : `${b}\u0000${a}`;
    let found = known.get(key);
    if (found === undefined) {
      found = equal(a, b);
      known.set(key, found);
    }
    return found;
  };
}
