/** What a comparison found, and how. */
export interface Comparison {
  /** `unclear`: nothing here could decide. */
  outcome: 'equal' | 'different' | 'unclear';
  /** The comparison that decided, in words. */
  rule: string;
}

export function equal(rule: string): Comparison {
  return { outcome: 'equal', rule };
}

export function different(rule: string): Comparison {
  return { outcome: 'different', rule };
}

export function unclear(rule: string): Comparison {
  return { outcome: 'unclear', rule };
}

export function decide(isEqual: boolean, rule: string): Comparison {
  return isEqual ? equal(rule) : different(rule);
}

/** All parts must be equal: the first difference decides, then the first unclear part. */
export function all<T>(parts: Iterable<T>, compare: (part: T) => Comparison, rule: string): Comparison {
  let open: Comparison | undefined;
  let last: Comparison | undefined;
  for (const part of parts) {
    const found = compare(part);
    if (found.outcome === 'different') return different(`${rule}: ${found.rule}`);
    if (found.outcome === 'unclear') open ??= found;
    last = found;
  }
  return open ? unclear(`${rule}: ${open.rule}`) : equal(last ? `${rule}: ${last.rule}` : rule);
}

/** The first comparison that finds equality; otherwise the first that is not clear, otherwise the first of all. */
export function any(comparisons: Iterable<() => Comparison>): Comparison {
  let first: Comparison | undefined;
  for (const compare of comparisons) {
    const found = compare();
    if (found.outcome === 'equal') return found;
    if (!first || (first.outcome === 'different' && found.outcome === 'unclear')) first = found;
  }
  return first ?? different('nothing to compare');
}
