/** Binary search over the cursors of a change log. */

/**
 * The first cursor from `from` on, below `end`, at which `holds` is true; `end` if there is none.
 * `holds` must be false up to some cursor and true from there on. Calls it about log2(end - from)
 * times.
 */
export async function lowerBound(
  from: number,
  end: number,
  holds: (cursor: number) => Promise<boolean>,
): Promise<number> {
  let [low, high] = [from, end];
  while (low < high) {
    const middle = Math.floor((low + high - 1) / 2);
    if (await holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
