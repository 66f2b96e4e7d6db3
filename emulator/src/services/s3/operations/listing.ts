/**
 * One page of ListObjectsV2, from the sorted keys.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */
import { S3Error } from '../protocol/errors';
import { compareKeys, type SortedKeys } from '../storage/sorted-keys';

export interface ListQuery {
  readonly prefix: string;
  /** Empty: no grouping. */
  readonly delimiter: string;
  readonly limit: number;
  /**
   * The page begins after this key, or after all keys with this common prefix.
   */
  readonly after?: { readonly name: string; readonly isPrefix: boolean };
}

export interface ListPage {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  /** `after` of the next page; undefined on the last page. */
  readonly next?: { readonly name: string; readonly isPrefix: boolean };
}

/** Reads only the keys that it returns: it skips the other keys of a group. */
export function listKeys(sorted: SortedKeys, query: ListQuery): ListPage {
  const { prefix, delimiter, limit, after } = query;
  const keys: string[] = [];
  const prefixes: string[] = [];
  if (limit === 0) return { keys, prefixes };
  const beyond = (key: string): boolean =>
    after === undefined ||
    (after.isPrefix ? isPast(key, after.name) : compareKeys(key, after.name) > 0);
  let walk = sorted.walk((key) => compareKeys(key, prefix) >= 0 && beyond(key));
  let last: ListPage['next'];
  for (let step = walk.next(); step.done !== true; step = walk.next()) {
    const key = step.value;
    if (!key.startsWith(prefix)) break;
    if (keys.length + prefixes.length === limit) return { keys, prefixes, next: last };
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    if (end === -1) {
      keys.push(key);
      last = { name: key, isPrefix: false };
    } else {
      const group = key.slice(0, end + delimiter.length);
      prefixes.push(group);
      last = { name: group, isPrefix: true };
      walk = sorted.walk((candidate) => isPast(candidate, group));
    }
  }
  return { keys, prefixes };
}

/** Reports whether a key comes after every key with the prefix. */
function isPast(key: string, prefix: string): boolean {
  return compareKeys(key, prefix) > 0 && !key.startsWith(prefix);
}

/** Encodes a continuation token, which is opaque to clients. */
export function encodeToken(next: NonNullable<ListPage['next']>): string {
  return Buffer.from(`${next.isPrefix ? 'p' : 'k'}${next.name}`).toString('base64url');
}

/** Throws InvalidArgument for a token that encodeToken did not return. */
export function decodeToken(token: string): NonNullable<ListPage['next']> {
  const text = Buffer.from(token, 'base64url').toString('utf8');
  const next = { name: text.slice(1), isPrefix: text.startsWith('p') };
  if (encodeToken(next) === token) return next;
  throw new S3Error('InvalidArgument', {
    message: 'The continuation token provided is incorrect',
    details: { ArgumentName: 'continuation-token' },
  });
}
