/**
 * Keys in the order in which S3 lists them, in blocks of at most 1,024 keys. Adding or removing a
 * key changes one block, and finding one takes two binary searches, so that a page of a list costs
 * the same for 1,000 keys and for millions.
 */
const BLOCK = 1024;

/**
 * Compares as UTF-8 bytes, which is the order of code points. JavaScript compares UTF-16 units, in
 * which the surrogates of characters above U+FFFF (D800-DFFF) come before U+E000-U+FFFF.
 */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

export class SortedKeys {
  #blocks: string[][] = [];

  /** Replaces the content; the keys need not be sorted but must be distinct. */
  load(keys: Iterable<string>): void {
    const sorted = [...keys].sort(compareKeys);
    this.#blocks = [];
    for (let start = 0; start < sorted.length; start += BLOCK / 2) {
      this.#blocks.push(sorted.slice(start, start + BLOCK / 2));
    }
  }

  /** The key must not be in the list yet. */
  add(key: string): void {
    const found = this.#blockOf(key);
    const block = this.#blocks[found];
    if (block === undefined) {
      this.#blocks.push([key]);
      return;
    }
    block.splice(
      lowerBound(block.length, (index) => compareKeys(block[index] ?? '', key) >= 0),
      0,
      key,
    );
    if (block.length > BLOCK) this.#blocks.splice(found + 1, 0, block.splice(BLOCK / 2));
  }

  remove(key: string): void {
    const found = this.#blockOf(key);
    const block = this.#blocks[found];
    if (block === undefined) return;
    const index = lowerBound(block.length, (at) => compareKeys(block[at] ?? '', key) >= 0);
    if (block[index] !== key) return;
    block.splice(index, 1);
    if (block.length === 0) this.#blocks.splice(found, 1);
  }

  /**
   * Yields the keys from the first one for which `reached` is true; it must be true for all later
   * keys. Do not change the list meanwhile.
   */
  *walk(reached: (key: string) => boolean): Generator<string, void, undefined> {
    let number = lowerBound(this.#blocks.length, (at) => reached(this.#blocks[at]?.at(-1) ?? ''));
    const first = this.#blocks[number] ?? [];
    let index = lowerBound(first.length, (at) => reached(first[at] ?? ''));
    for (; number < this.#blocks.length; number += 1, index = 0) {
      const block = this.#blocks[number] ?? [];
      for (; index < block.length; index += 1) yield block[index] ?? '';
    }
  }

  /** Index of the block for the key: the first that ends at or after it, else the last. */
  #blockOf(key: string): number {
    const found = lowerBound(
      this.#blocks.length,
      (at) => compareKeys(this.#blocks[at]?.at(-1) ?? '', key) >= 0,
    );
    return Math.min(found, Math.max(this.#blocks.length - 1, 0));
  }
}

/** The lowest index in 0..length for which `holds` is true; it must be true for all later ones. */
function lowerBound(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
