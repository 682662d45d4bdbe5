/** The longest stretches of items for which something holds. */
export function runs<T>(items: readonly T[], holds: (item: T) => boolean): T[][] {
  const found: T[][] = [];
  let open = false;
  for (const item of items) {
    if (!holds(item)) {
      open = false;
      continue;
    }
    if (!open) found.push([]);
    open = true;
    found[found.length - 1].push(item);
  }
  return found;
}
