import { randomNumbers } from '../../values/random-numbers';
import { parseFaultList } from '../fault-list';

/**
 * Behaviour that SQS allows but seldom shows, for tests. The random choices follow from the seed.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/standard-queues-at-least-once-delivery.html
 */
export interface QueueDisorder {
  readonly seed: number;
  /** Probability, 0 to 1, that the first deletion of a message is lost: it is received again. */
  readonly repeat?: number;
  /**
   * Probability, 0 to 1, that a received message stays visible: another consumer receives it at the
   * same time.
   */
  readonly overlap?: number;
  /** Messages are received in random order. */
  readonly shuffle?: boolean;
}

/** Number of messages among which the next one is chosen. */
const SHUFFLED = 100;

export class Disorder {
  private readonly random: () => number;
  private readonly lostDeletions = new Set<string>();

  constructor(private readonly options: QueueDisorder) {
    this.random = randomNumbers(options.seed);
  }

  losesDeletion(id: string): boolean {
    const { repeat = 0 } = this.options;
    if (repeat === 0 || this.lostDeletions.has(id) || this.random() >= repeat) return false;
    this.lostDeletions.add(id);
    return true;
  }

  overlaps(): boolean {
    const { overlap = 0 } = this.options;
    return overlap > 0 && this.random() < overlap;
  }

  /** Returns one of the values that `take` returns, and puts the others back. */
  pick<T>(take: () => T | undefined, putBack: (value: T) => void): T | undefined {
    if (this.options.shuffle !== true) return take();
    const candidates: T[] = [];
    while (candidates.length < SHUFFLED) {
      const next = take();
      if (next === undefined) break;
      candidates.push(next);
    }
    const [picked] = candidates.splice(Math.floor(this.random() * candidates.length), 1);
    for (const candidate of candidates) putBack(candidate);
    return picked;
  }
}

/**
 * Parses an option of the command line such as `repeat=0.2,overlap=0.1,shuffle=1,seed=7`. Throws
 * UserError naming the part that is invalid.
 */
export function parseDisorder(text: string | undefined): QueueDisorder | undefined {
  if (text === undefined) return undefined;
  const largest = { repeat: 1, overlap: 1, shuffle: 1 };
  const { seed, repeat, overlap, shuffle } = parseFaultList(text, 'queues', largest);
  return { seed, repeat, overlap, shuffle: shuffle === 1 };
}
