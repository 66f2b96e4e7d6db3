/**
 * API keys: `osk_<id>_<secret>_<crc>`. By prefix and checksum a secret scanner recognizes a key
 * without a request, and API Gateway rejects other tokens by a regular expression. Only SHA-256 of
 * the secret is stored.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { API_KEY } from '../limits';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORMAT = new RegExp(`^${API_KEY}$`);

export interface ParsedApiKey {
  readonly id: string;
  readonly secret: string;
}

/** Returns undefined when the text is not a key or its checksum is wrong. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const [, id, secret, sum] = hasApiKeyForm(text) ? text.split('_') : [];
  if (id === undefined || secret === undefined || sum === undefined) return undefined;
  return checksumOf(id, secret) === sum ? { id, secret } : undefined;
}

/** Reports whether the text has the form of a key. Its checksum may be wrong. */
export function hasApiKeyForm(text: string): boolean {
  return FORMAT.test(text);
}

const ID = /^[0-9A-Za-z]{12}$/;

export function isApiKeyId(text: string): boolean {
  return ID.test(text);
}

/**
 * Returns a new key with a secret of 256 random bits. `text` is shown once and stored nowhere. With
 * `id`, the secret is a new one for the key of that id.
 */
export function newApiKey(id = randomBase62(12)): { id: string; text: string; secretHash: string } {
  const secret = randomBase62(43);
  return {
    id,
    text: `osk_${id}_${secret}_${checksumOf(id, secret)}`,
    secretHash: hashSecret(secret),
  };
}

/**
 * Returns the SHA-256 of the secret in hex. The secret has 256 random bits, so a slow hash would
 * add nothing but latency.
 */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares hashes of secrets in constant time. */
export function hashMatches(hash: string, secretHash: string): boolean {
  const expected = Buffer.from(secretHash, 'hex');
  const actual = Buffer.from(hash, 'hex');
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/**
 * Returns random characters, uniform over base62. Bytes from 248 on are skipped: modulo 62 they
 * would make the first characters more frequent.
 */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

function checksumOf(id: string, secret: string): string {
  return checksum(`osk_${id}_${secret}`);
}

/**
 * Returns the CRC-32 as 6 characters of base62. It distinguishes an issued secret from an invented
 * one.
 */
export function checksum(of: string): string {
  let rest = crc32(Buffer.from(of));
  let text = '';
  for (let i = 0; i < 6; i++) {
    text = BASE62[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/**
 * CRC-32 (ISO 3309), as GitHub's token format uses it. node:zlib has it only from Node 20.15 on.
 */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
