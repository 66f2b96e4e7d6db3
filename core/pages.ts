/** How stores list: a range of names, a page at a time. */

/**
 * A half-open range of UTF-8 byte order (= code point order): from <= name < before. `before`
 * absent = no end.
 */
export interface NameRange {
  readonly from: string;
  readonly before?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** False only when nothing in the range follows the last item. May be true in that case too. */
  readonly more: boolean;
}
