/**
 * The text in the URL of a link: the id of the bucket, a secret of 131 random bits in base62, and a
 * checksum. Only a hash of it is stored, so that the table opens no link.
 */
import { createHash } from 'node:crypto';
import { checksum, randomBase62 } from '../access/api-key';
import type { LinkId } from './ports';

const BUCKET_ID_LENGTH = 12;
const SECRET_LENGTH = 22;
const FORMAT = /^[0-9A-Za-z]{40}$/;

/** Of a hash in base64url: 132 bits. */
const HASH_LENGTH = 22;
const ID = /^([0-9A-Za-z]{12})([0-9A-Za-z_-]{22})$/;

/** Keeps the text of a link apart from every other text with a checksum. */
const PURPOSE = 'link_';

/** A new link to an object of the bucket. `text` is shown once and stored nowhere. */
export function newLink(bucketId: string): LinkId & { readonly text: string } {
  if (bucketId.length !== BUCKET_ID_LENGTH) throw new Error(`${bucketId} is no id of a bucket`);
  const secret = bucketId + randomBase62(SECRET_LENGTH);
  const text = secret + checksum(PURPOSE + secret);
  return { bucketId, hash: hashOf(text), text };
}

/**
 * undefined: the checksum is wrong, so the link was never made. Somebody who makes up links causes
 * no AWS call; one who computes the checksum causes a read.
 */
export function linkIn(text: string): LinkId | undefined {
  if (!FORMAT.test(text)) return undefined;
  const secret = text.slice(0, BUCKET_ID_LENGTH + SECRET_LENGTH);
  if (checksum(PURPOSE + secret) !== text.slice(secret.length)) return undefined;
  return { bucketId: text.slice(0, BUCKET_ID_LENGTH), hash: hashOf(text) };
}

/** How the interface names a link: it identifies the link and does not open it. */
export function linkName({ bucketId, hash }: LinkId): string {
  return bucketId + hash;
}

/** The inverse of `linkName`; undefined: it names no link. */
export function linkNamed(name: string): LinkId | undefined {
  const [, bucketId, hash] = ID.exec(name) ?? [];
  return bucketId === undefined || hash === undefined ? undefined : { bucketId, hash };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH);
}
