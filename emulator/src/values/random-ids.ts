import { randomFillSync } from 'node:crypto';

const POOL = Buffer.allocUnsafe(4096);
let used = POOL.length;

/**
 * Random bytes as text, for ids that are no secrets. They come from a pool, because filling a few
 * bytes takes as long as filling the pool.
 */
export function randomId(bytes: number, encoding: 'hex' | 'base64' | 'base64url'): string {
  if (used + bytes > POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  const id = POOL.toString(encoding, used, used + bytes);
  used += bytes;
  return id;
}
