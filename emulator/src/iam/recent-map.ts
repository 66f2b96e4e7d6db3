/** A map that discards the oldest of its entries when it is full. */
export class RecentMap<Key, Value> {
  private readonly entries = new Map<Key, Value>();

  constructor(private readonly max: number) {}

  get(key: Key): Value | undefined {
    return this.entries.get(key);
  }

  /** Returns the value. */
  set(key: Key, value: Value): Value {
    if (this.entries.size >= this.max && !this.entries.has(key)) {
      for (const oldest of this.entries.keys()) {
        this.entries.delete(oldest);
        break;
      }
    }
    this.entries.set(key, value);
    return value;
  }
}
