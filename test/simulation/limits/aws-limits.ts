/**
 * The limits of AWS that a busy bucket meets, by their documents, as token buckets on the virtual
 * clock: which one binds, and when, follows from the times of the calls alone.
 */
import type { VirtualTime } from '../machine/virtual-time';
import { type Access, accessesOf } from './table-accesses';
import { TokenBucket } from './token-bucket';

export interface LimitOptions {
  /** How often each hot partition was split, and the throughput of a table was doubled. */
  readonly splits: number;
  /** Requests a second that the stage admits, and half as many at once. */
  readonly stageRate: number;
}

export interface Bound {
  readonly limit: string;
  /** Milliseconds of the virtual clock. */
  readonly firstAt: number;
  readonly refusals: number;
}

/**
 * A new on-demand table admits 4,000 write and 12,000 read units a second
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html),
 * in partitions of 1,000 and 3,000
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html).
 */
const PARTITIONS = 4;
const PARTITION_WRITES = 1_000;
const PARTITION_READS = 3_000;

/**
 * How long a transaction holds its items against other writes
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html). The
 * length is an assumption.
 */
export const TRANSACTION_MS = 5;

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html: posts count too. */
const GATEWAY_RATE = 10_000;
const GATEWAY_BURST = 5_000;

/** https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html */
const CONCURRENCY = 1_000;
const ENVIRONMENTS_PER_10_S = 1_000;

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html */
const PREFIX_WRITES = 3_500;
const PREFIX_READS = 5_500;

const WRITES_TO_S3 = new Set(['blobs.put', 'blobs.copy', 'blobs.remove']);

export class AwsLimits {
  readonly bounds = new Map<string, Bound>();
  private readonly buckets = new Map<string, TokenBucket>();
  /** Item -> until when a transaction holds it. */
  private readonly held = new Map<string, number>();
  private running = 0;
  /** The most that ran at once. */
  mostRunning = 0;

  constructor(
    private readonly time: VirtualTime,
    private readonly options: LimitOptions,
  ) {}

  /** Why AWS refuses a call of a port. */
  refusalOf(call: string, parameters: readonly unknown[]): 'throttled' | 'conflict' | undefined {
    if (call === 'channels.post') return this.admitMessage() ? undefined : 'throttled';
    if (call.startsWith('blobs.')) return this.admitBlob(call) ? undefined : 'throttled';
    const accesses = accessesOf(call, parameters);
    const isHeld = accesses.some(({ item, writes }) => writes > 0 && this.isHeld(item));
    if (isHeld) {
      this.refused('item in a transaction');
      return 'conflict';
    }
    // What is refused by one partition has taken units of the others.
    const admitted = accesses.map((one) => this.admitAccess(one));
    return admitted.every((is) => is) ? undefined : 'throttled';
  }

  /** A transaction holds its items from now on. */
  hold(parameters: readonly unknown[]): void {
    for (const { item } of accessesOf('commits.commit', parameters)) {
      this.held.set(item, this.time.now + TRANSACTION_MS);
    }
  }

  admitRequest(): boolean {
    const { stageRate } = this.options;
    return this.take('API Gateway, stage', 1, [stageRate, stageRate / 2]) && this.admitMessage();
  }

  /** Whether a function may run once more; `isNew`: in a new environment. */
  admitInvocation(name: string, isNew: boolean): boolean {
    if (this.running >= CONCURRENCY) {
      this.refused('Lambda, concurrency');
      return false;
    }
    const rate = [ENVIRONMENTS_PER_10_S / 10, ENVIRONMENTS_PER_10_S] as const;
    if (isNew && !this.take(`Lambda, new environments of ${name}`, 1, rate)) return false;
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    return true;
  }

  invocationEnded(): void {
    this.running -= 1;
  }

  /** The limits that have refused something, in the order in which they did first. */
  get inOrder(): readonly Bound[] {
    return [...this.bounds.values()].sort((a, b) => a.firstAt - b.firstAt);
  }

  private admitMessage(): boolean {
    return this.take('API Gateway, account', 1, [GATEWAY_RATE, GATEWAY_BURST]);
  }

  private admitBlob(call: string): boolean {
    return WRITES_TO_S3.has(call)
      ? this.take('S3, writes of a prefix', 1, [PREFIX_WRITES, PREFIX_WRITES])
      : this.take('S3, reads of a prefix', 1, [PREFIX_READS, PREFIX_READS]);
  }

  private admitAccess({ table, of, place, splitPlace, reads, writes }: Access): boolean {
    const parts = 2 ** this.options.splits;
    const partition = `${table} ${place % PARTITIONS}.${splitPlace % parts}`;
    const admit = (kind: string, units: number, rate: number) => {
      if (units === 0) return true;
      const most = PARTITIONS * parts * rate;
      const isAdmitted =
        this.bucket(`${partition} ${kind}`, rate, rate).take(units, this.time.now) &&
        this.bucket(`${table} ${kind}`, most, most).take(units, this.time.now);
      if (!isAdmitted) this.refused(`DynamoDB, ${kind} of ${of}`);
      return isAdmitted;
    };
    return admit('reads', reads, PARTITION_READS) && admit('writes', writes, PARTITION_WRITES);
  }

  private isHeld(item: string): boolean {
    const until = this.held.get(item);
    if (until === undefined || until > this.time.now) return until !== undefined;
    this.held.delete(item);
    return false;
  }

  private take(limit: string, units: number, [rate, burst]: readonly [number, number]): boolean {
    const isTaken = this.bucket(limit, rate, burst).take(units, this.time.now);
    if (!isTaken) this.refused(limit);
    return isTaken;
  }

  private bucket(name: string, rate: number, burst: number): TokenBucket {
    const known = this.buckets.get(name) ?? new TokenBucket(rate, burst, this.time.now);
    this.buckets.set(name, known);
    return known;
  }

  private refused(limit: string): void {
    const { firstAt = this.time.now, refusals = 0 } = this.bounds.get(limit) ?? {};
    this.bounds.set(limit, { limit, firstAt, refusals: refusals + 1 });
  }
}
