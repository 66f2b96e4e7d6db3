/**
 * The URL of a link holds its id and, in the query, a secret of 131 random bits in base62. The id
 * is the id of the bucket and a hash of the secret: it names the link, in lists and in logs of
 * paths, and opens nothing.
 */
import { createHash } from 'node:crypto';
import { randomBase62 } from '../access/api-key';
import type { LinkId } from './ports';

const BUCKET_ID_LENGTH = 12;
const SECRET_LENGTH = 22;
const SECRET = /^[0-9A-Za-z]{22}$/;

/** Characters of a hash in base64url: 132 bits. */
const HASH_LENGTH = 22;
const ID = /^([0-9A-Za-z]{12})([0-9A-Za-z_-]{22})$/;

/** A new link to an object of the bucket. `secret` is shown once and stored nowhere. */
export function newLink(bucketId: string): LinkId & { readonly secret: string } {
  if (bucketId.length !== BUCKET_ID_LENGTH) throw new Error(`${bucketId} is no id of a bucket`);
  const secret = randomBase62(SECRET_LENGTH);
  return { bucketId, hash: hashOf(bucketId, secret), secret };
}

/**
 * The link that the name and the secret open, or undefined when the secret belongs to another one,
 * or to none. Somebody who makes up links causes no AWS call; one who computes the hash causes a
 * read.
 */
export function linkOpenedBy(name: string, secret: string | undefined): LinkId | undefined {
  const id = linkNamed(name);
  if (id === undefined || secret === undefined || !SECRET.test(secret)) return undefined;
  return hashOf(id.bucketId, secret) === id.hash ? id : undefined;
}

/** How the interface names a link: it identifies the link and does not open it. */
export function linkName({ bucketId, hash }: LinkId): string {
  return bucketId + hash;
}

/** The inverse of `linkName`, or undefined when it names no link. */
export function linkNamed(name: string): LinkId | undefined {
  const [, bucketId, hash] = ID.exec(name) ?? [];
  return bucketId === undefined || hash === undefined ? undefined : { bucketId, hash };
}

function hashOf(bucketId: string, secret: string): string {
  const text = bucketId + secret;
  return createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH);
}
