/**
 * Passwords of links, as scrypt hashes with a salt (RFC 7914). A person chose the password, so the
 * hash must be slow; its cost is fixed, because everybody who has the link can cause it.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** 16 MB and about 100 ms of the function download, which has 512 MB. */
const COST = { N: 16_384, r: 8, p: 1 } as const;
const HASH_BYTES = 32;
const SALT_BYTES = 16;

const derive = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt);

/** Salt and hash, which `passwordMatches` compares a password with. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password.normalize('NFC'), salt, HASH_BYTES, COST);
  return `${salt.toString('base64url')}.${hash.toString('base64url')}`;
}

/** Compares in constant time. The same characters match, however they were composed. */
export async function passwordMatches(password: string, stored: string): Promise<boolean> {
  const [salt = '', hash = ''] = stored.split('.');
  const expected = Buffer.from(hash, 'base64url');
  const actual = await derive(
    password.normalize('NFC'),
    Buffer.from(salt, 'base64url'),
    HASH_BYTES,
    COST,
  );
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
