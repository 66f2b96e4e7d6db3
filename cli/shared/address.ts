/**
 * How arguments name things: `photos:2026/cat.jpg` is the key `2026/cat.jpg` of the bucket
 * `photos`, everything else a path of this machine. The name of a bucket has 3 characters or more,
 * so a drive of Windows (`C:\`) is never one; a file whose name has a colon is written `./a:b`.
 */
import { UsageError } from './errors';

export interface RemoteAddress {
  readonly bucket: string;
  /** A key or a prefix of keys. Empty for the bucket itself. */
  readonly key: string;
}

export type Address =
  | ({ readonly kind: 'remote' } & RemoteAddress)
  | { readonly kind: 'local'; readonly path: string }
  /** `-`: standard input or output. */
  | { readonly kind: 'standard' };

const REMOTE = /^([a-z0-9][a-z0-9.-]{1,61}[a-z0-9]):(.*)$/s;
const URL_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Parses an argument that may be a path of this machine. Throws UsageError for a URL. */
export function parseAddress(text: string): Address {
  if (text === '-') return { kind: 'standard' };
  if (text === '') throw new UsageError('an address must not be empty: name a file or BUCKET:KEY');
  if (URL_SCHEME.test(text)) {
    throw new UsageError(`${text} is a URL: write BUCKET:KEY for an object, such as photos:a.jpg`);
  }
  const [, bucket, key = ''] = REMOTE.exec(text) ?? [];
  return bucket === undefined ? { kind: 'local', path: text } : { kind: 'remote', bucket, key };
}

/** Parses an argument that is never a path. The colon after a bucket is optional. */
export function parseRemote(text: string): RemoteAddress {
  const address = parseAddress(text.includes(':') || text === '-' ? text : `${text}:`);
  if (address.kind === 'remote') return address;
  const [bucket = '', ...rest] = text.split('/');
  const meant = rest.length > 0 && REMOTE.test(`${bucket}:`);
  throw new UsageError(
    meant
      ? `${text} is no address: write ${bucket}:${rest.join('/')}`
      : `${text} is no address: write BUCKET or BUCKET:KEY, such as photos:2026/cat.jpg`,
  );
}

/** Parses the address of one object. Throws UsageError for any other argument. */
export function parseObject(text: string): RemoteAddress {
  const address = parseRemote(text);
  if (address.key !== '') return address;
  throw new UsageError(`name an object, such as ${address.bucket}:2026/cat.jpg`);
}

/** Parses the name of a bucket. Throws UsageError for any other argument. */
export function parseBucket(text: string): string {
  const { bucket, key } = parseRemote(text);
  if (key === '') return bucket;
  throw new UsageError(`name a bucket, without a key: ${bucket}`);
}

/** Returns the prefix of the keys in a folder: `2026/` for `2026`, which excludes `2026-old`. */
export function folderPrefix(key: string): string {
  return key === '' || key.endsWith('/') ? key : `${key}/`;
}

/** The address as the user writes it. */
export function addressText({ bucket, key }: RemoteAddress): string {
  return `${bucket}:${key}`;
}
