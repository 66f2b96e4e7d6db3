import type { Clock, Ids } from '../../../core/system';

/** 2026-01-01T00:00:00.000Z: the start of a test's clock. */
export const FAKE_EPOCH = Date.UTC(2026, 0, 1);

/** A clock that tests move. `sleep` moves it too, so that no test waits. */
export class FakeClock implements Clock {
  /** Milliseconds of every sleep so far. */
  readonly sleeps: number[] = [];

  constructor(private milliseconds = FAKE_EPOCH) {}

  now(): number {
    return this.milliseconds;
  }

  advance(milliseconds: number): void {
    this.milliseconds += milliseconds;
  }

  async sleep(milliseconds: number): Promise<void> {
    this.sleeps.push(milliseconds);
    this.advance(milliseconds);
  }

  /** The current time as ISO 8601 UTC. */
  iso(): string {
    return new Date(this.milliseconds).toISOString();
  }
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The same names in every run: counters in the shape of the real ones. */
export class FakeIds implements Ids {
  private buckets = 0;
  private ulids = 0;

  constructor(private readonly clock: Clock) {}

  bucketId(): string {
    this.buckets += 1;
    return `b${String(this.buckets).padStart(11, '0')}`;
  }

  ulid(): string {
    this.ulids += 1;
    return crockford(this.clock.now(), 10) + crockford(this.ulids, 16);
  }
}

function crockford(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) {
    text = CROCKFORD.charAt(rest % 32) + text;
  }
  return text;
}
