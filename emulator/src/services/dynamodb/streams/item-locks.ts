/** Allows one write at a time for each item, so that records have the order of the writes. */
export class ItemLocks {
  private readonly tails = new Map<string, Promise<void>>();

  /**
   * Acquires the locks of these items and returns their release. All of them are requested at once,
   * so that two callers cannot wait for each other.
   */
  async acquire(names: readonly string[]): Promise<() => void> {
    const earlier = names.flatMap((name) => this.tails.get(name) ?? []);
    let open = () => {};
    const mine = new Promise<void>((resolve) => {
      open = resolve;
    });
    for (const name of names) this.tails.set(name, mine);
    if (earlier.length > 0) await Promise.all(earlier);
    return () => {
      for (const name of names) if (this.tails.get(name) === mine) this.tails.delete(name);
      open();
    };
  }

  /** Resolves when every lock that is held now is released. */
  async idle(): Promise<void> {
    await Promise.all(this.tails.values());
  }
}
