/**
 * How arguments name things: `photos:2026/cat.jpg` is the key `2026/cat.jpg` of the bucket
 * `photos`, everything else a path of this machine. The name of a bucket has 3 characters or more,
 * so a drive of Windows (`C:\`) is never one; a file whose name has a colon is written `./a:b`.
 */
import { UsageError } from './errors';

export interface RemoteAddress {
  readonly bucket: string;
  /** A key, or the prefix of keys; empty: the bucket. */
  readonly key: string;
}

export type Address =
  | ({ readonly kind: 'remote' } & RemoteAddress)
  | { readonly kind: 'local'; readonly path: string }
  /** `-`: standard input or output. */
  | { readonly kind: 'standard' };

const REMOTE = /^([a-z0-9][a-z0-9.-]{1,61}[a-z0-9]):(.*)$/s;
const URL_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** What an argument names that may be a path of this machine. Throws UsageError for a URL. */
export function parseAddress(text: string): Address {
  if (text === '-') return { kind: 'standard' };
  if (text === '') throw new UsageError('an empty text is no address: name a file or BUCKET:KEY');
  if (URL_SCHEME.test(text)) {
    throw new UsageError(`${text} is a URL: write BUCKET:KEY for an object, such as photos:a.jpg`);
  }
  const [, bucket, key = ''] = REMOTE.exec(text) ?? [];
  return bucket === undefined ? { kind: 'local', path: text } : { kind: 'remote', bucket, key };
}

/** What an argument names that is never a path: the colon after a bucket may be left out. */
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

/** Throws UsageError unless the argument names one object. */
export function parseObject(text: string): RemoteAddress {
  const address = parseRemote(text);
  if (address.key !== '') return address;
  throw new UsageError(`name an object, such as ${address.bucket}:2026/cat.jpg`);
}

/** Throws UsageError unless the argument names a bucket. */
export function parseBucket(text: string): string {
  const { bucket, key } = parseRemote(text);
  if (key === '') return bucket;
  throw new UsageError(`name a bucket, without a key: ${bucket}`);
}

/** What the keys in a folder begin with: `2026` is the folder `2026/`, and not `2026-old`. */
export function folderPrefix(key: string): string {
  return key === '' || key.endsWith('/') ? key : `${key}/`;
}

/** The address as the user writes it. */
export function addressText({ bucket, key }: RemoteAddress): string {
  return `${bucket}:${key}`;
}
