import type { Network } from './fake-channels';

/** Of 100 messages how many are lost, arrive twice, and wait while later ones overtake them. */
export interface Hostility {
  readonly drop: number;
  readonly repeat: number;
  readonly delay: number;
}

/**
 * Loses, repeats and reorders messages, which is all that API Gateway does not promise to leave
 * undone. The same seed does the same to the same sequence of messages.
 */
export class HostileNetwork {
  private readonly waiting: (() => void)[] = [];
  private readonly random: () => number;

  constructor(
    seed: number,
    private readonly hostility: Hostility,
  ) {
    this.random = seededRandom(seed);
  }

  /** For FakeGateway. */
  readonly carry: Network = (message, deliver) => {
    if (this.happens(this.hostility.drop)) return;
    this.waiting.push(() => deliver(message));
    if (this.happens(this.hostility.repeat)) this.waiting.push(() => deliver(message));
    while (this.waiting.length > 0 && !this.happens(this.hostility.delay)) this.deliverOne();
  };

  /** Delivers the messages still in transit, in any order. */
  settle(): void {
    while (this.waiting.length > 0) this.deliverOne();
  }

  private deliverOne(): void {
    const [next] = this.waiting.splice(Math.floor(this.random() * this.waiting.length), 1);
    next?.();
  }

  private happens(percent: number): boolean {
    return this.random() * 100 < percent;
  }
}

/** Numbers in [0, 1): mulberry32, public domain, https://github.com/cprosche/mulberry32 */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
