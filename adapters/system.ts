/** The system's time and randomness, which tests replace. */
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { randomBase62 } from '../core/access/api-key';
import type { Clock, Ids } from '../core/system';

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds) => wait(milliseconds),
};

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID (github.com/ulid/spec): 48 bits of milliseconds, 80 random bits, 26 characters. */
function ulid(): string {
  let time = Date.now();
  let text = '';
  for (let i = 0; i < 10; i++) {
    text = CROCKFORD[time % 32] + text;
    time = Math.floor(time / 32);
  }
  // Uses 5 bits of each byte. 256 is a multiple of 32, so every character is equally likely.
  for (const byte of randomBytes(16)) text += CROCKFORD[byte % 32];
  return text;
}

export const systemIds: Ids = { bucketId: () => randomBase62(12), ulid };

/**
 * Waits up to 20, 40, … 400 ms with full jitter (AWS Architecture Blog, "Exponential Backoff And
 * Jitter").
 */
export function jitteredBackoff(attempt: number): Promise<void> {
  return wait(Math.random() * Math.min(400, 20 * 2 ** attempt));
}
