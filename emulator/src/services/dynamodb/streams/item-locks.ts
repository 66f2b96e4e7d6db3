/** Lets one write at a time at each item, so that records keep the order of the writes. */
export class ItemLocks {
  private readonly tails = new Map<string, Promise<void>>();

  /**
   * Waits for all of them; answers the release. Taken all at once, so two callers can never wait
   * for each other.
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

  /** Resolves when every lock that is held now has been released. */
  async idle(): Promise<void> {
    await Promise.all(this.tails.values());
  }
}
