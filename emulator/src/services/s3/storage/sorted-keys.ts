/**
 * Keys in the order in which S3 lists them, each with the place of its record, in blocks of at most
 * 1,024 keys. Adding or removing a key changes one block, and finding one takes two binary
 * searches, so that a page of a list costs the same for 1,000 keys and for millions. A key takes
 * about 100 bytes of memory.
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

interface Block {
  readonly keys: string[];
  /** Of the records of these keys. */
  readonly places: number[];
}

export class SortedKeys {
  #blocks: Block[] = [];

  /** Returns the place of the key's record; undefined when the key is not there. */
  get(key: string): number | undefined {
    const { block, index } = this.#find(key);
    return block?.keys[index] === key ? block.places[index] : undefined;
  }

  /** Adds a key, or gives it another place. */
  set(key: string, place: number): void {
    const { at, block, index } = this.#find(key);
    if (block === undefined) {
      this.#blocks.push({ keys: [ownText(key)], places: [place] });
      return;
    }
    const { keys, places } = block;
    if (keys[index] === key) {
      places[index] = place;
      return;
    }
    keys.splice(index, 0, ownText(key));
    places.splice(index, 0, place);
    if (keys.length <= BLOCK) return;
    const half = BLOCK / 2;
    this.#blocks.splice(at + 1, 0, { keys: keys.splice(half), places: places.splice(half) });
  }

  remove(key: string): void {
    const { at, block, index } = this.#find(key);
    if (block?.keys[index] !== key) return;
    block.keys.splice(index, 1);
    block.places.splice(index, 1);
    if (block.keys.length === 0) this.#blocks.splice(at, 1);
  }

  clear(): void {
    this.#blocks = [];
  }

  /** Yields the places of all keys. Do not change the list during the iteration. */
  *places(): Generator<number, void, undefined> {
    for (const { places } of this.#blocks) yield* places;
  }

  /** The number of keys. */
  get size(): number {
    return this.#blocks.reduce((sum, { keys }) => sum + keys.length, 0);
  }

  /**
   * Yields the keys from the first one for which `reached` is true; it must be true for all later
   * keys. Do not change the list during the iteration.
   */
  *walk(reached: (key: string) => boolean): Generator<string, void, undefined> {
    const blocks = this.#blocks;
    let number = lowerBound(blocks.length, (at) => reached(blocks[at]?.keys.at(-1) ?? ''));
    const first = blocks[number]?.keys ?? [];
    let index = lowerBound(first.length, (at) => reached(first[at] ?? ''));
    for (; number < blocks.length; number += 1, index = 0) {
      const keys = blocks[number]?.keys ?? [];
      for (; index < keys.length; index += 1) yield keys[index] ?? '';
    }
  }

  /** Where the key is, or belongs: the first block that ends at or after it, else the last. */
  #find(key: string): { readonly at: number; readonly block?: Block; readonly index: number } {
    const blocks = this.#blocks;
    const found = lowerBound(
      blocks.length,
      (at) => compareKeys(blocks[at]?.keys.at(-1) ?? '', key) >= 0,
    );
    const at = Math.min(found, Math.max(blocks.length - 1, 0));
    const block = blocks[at];
    const keys = block?.keys ?? [];
    const index = lowerBound(keys.length, (one) => compareKeys(keys[one] ?? '', key) >= 0);
    return { at, block, index };
  }
}

/** A copy: a key may be a slice of a longer text, such as a URL, which it would keep in memory. */
function ownText(key: string): string {
  return Buffer.from(key).toString();
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
