/**
 * Page tokens: opaque and tamper-proof (AES-256-GCM). A token is bound to the request that it
 * continues: with another bucket, prefix, delimiter or owner (`ownerOf`) it is rejected.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { invalid } from '../errors';
import { LIMITS } from '../limits';

/** Returns 32 random bytes in base64. A deployment creates its secret once. */
export function newTokenSecret(): string {
  return randomBytes(32).toString('base64');
}

const NONCE = 12;
const TAG = 16;

export function sealToken(secret: string, context: readonly unknown[], content: unknown): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(secret, 'base64'), nonce);
  cipher.setAAD(digestOf(context));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(content)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/**
 * Returns the content of a token. Throws invalid_request when it was not issued for this request.
 */
export function openToken(secret: string, context: readonly unknown[], token: string): unknown {
  try {
    const bytes = Buffer.from(token, 'base64url');
    // Buffer skips what is not base64url, and bits of the last letter that have no meaning.
    if (bytes.toString('base64url') !== token) throw new Error('not base64url');
    const nonce = bytes.subarray(0, NONCE);
    const decipher = createDecipheriv('aes-256-gcm', Buffer.from(secret, 'base64'), nonce);
    decipher.setAAD(digestOf(context));
    decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
    const opened = Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]);
    return JSON.parse(opened.toString());
  } catch {
    throw invalid('page_token', 'is not a token of this list; take it from next_page_token');
  }
}

export interface LimitRange {
  readonly initial: number;
  readonly max: number;
}

function digestOf(context: readonly unknown[]): Buffer {
  return createHash('sha256').update(JSON.stringify(context)).digest();
}

/**
 * Returns the parameter `limit`, 1 to `max`, or `initial` when it is absent. Throws
 * invalid_request.
 */
export function parseLimit(
  value: string | undefined,
  { initial, max }: LimitRange = { initial: LIMITS.pageDefault, max: LIMITS.pageMax },
): number {
  if (value === undefined) return initial;
  const limit = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > max) {
    throw invalid('limit', `must be a whole number from 1 to ${max}`);
  }
  return limit;
}
