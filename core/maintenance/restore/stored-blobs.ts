/**
 * What S3's list tells of the blobs, read as a stream: a page of each list is in memory at a time,
 * however many there are.
 */
import type { BucketRef } from '../../bucket-ref';
import { type BlobName, parseBlobName, ulidTime } from '../../objects/blob-names';
import type { Blobs } from '../../objects/blob-ports';
import { compareNames } from '../../objects/names';

type List = Pick<Blobs, 'list'>;

const PREFIXES = ['objects/', 'uploads/'] as const;

export interface StoredBlob extends BlobName {
  readonly blob: string;
  /** When its bytes arrived, as exactly as S3 and the name tell. Epoch milliseconds. */
  readonly at: number;
}

/**
 * A PUT's name has the millisecond in which it began, also where its bytes were copied since. That
 * of a presigned upload has the one in which the URL was made, so there S3's own time tells, in
 * seconds; of an upload in parts S3 tells when it was begun.
 */
function stored(blob: string, lastModified: string): StoredBlob | undefined {
  const name = parseBlobName(blob);
  if (!name) return undefined;
  const named = ulidTime(name.ulid);
  const written = Date.parse(lastModified);
  const isPut = blob.startsWith('objects/') && !Number.isNaN(named);
  return { blob, ...name, at: isPut ? named : Math.max(written, named || 0) };
}

/** Every life of a bucket that blobs name, in no order. 1 ListObjectsV2 each. */
export async function listLives(blobs: List): Promise<readonly BucketRef[]> {
  const lives = new Map<string, BucketRef>();
  for (const prefix of PREFIXES) {
    for (let after: string | undefined; ; ) {
      const first: string | undefined = (await blobs.list(prefix, after)).items[0]?.blob;
      if (first === undefined) break;
      const slash = first.indexOf('/', prefix.length);
      const [, name, id] =
        /^([a-z0-9-]+)\.([0-9A-Za-z]{12})$/.exec(first.slice(prefix.length, slash)) ?? [];
      if (slash > 0 && name !== undefined && id !== undefined) lives.set(id, { name, id });
      // `0` is the character after `/`: on behind everything that begins like this one.
      after = slash > 0 ? `${first.slice(0, slash)}0` : first;
    }
  }
  return [...lives.values()];
}

/**
 * All blobs of one life in the order of their names, as if both prefixes were one. 1 ListObjectsV2
 * per 1000.
 */
async function* blobsOf(blobs: List, { name, id }: BucketRef): AsyncGenerator<StoredBlob> {
  const [objects, uploads] = PREFIXES.map((prefix) => below(blobs, `${prefix}${name}.${id}/`));
  if (!objects || !uploads) return;
  let [a, b] = [await objects.next(), await uploads.next()];
  while (!a.done || !b.done) {
    if (!a.done && (b.done || compareNames(pathOf(a.value), pathOf(b.value)) < 0)) {
      yield a.value;
      a = await objects.next();
    } else if (!b.done) {
      yield b.value;
      b = await uploads.next();
    }
  }
}

const pathOf = ({ key, ulid }: StoredBlob) => `${key}/${ulid}`;

async function* below(blobs: List, prefix: string): AsyncGenerator<StoredBlob, undefined> {
  for (let after: string | undefined; ; ) {
    const page: Awaited<ReturnType<List['list']>> = await blobs.list(prefix, after);
    for (const { blob, lastModified } of page.items) {
      const found = stored(blob, lastModified);
      if (found) yield found;
    }
    const last = page.items.at(-1);
    if (!page.more || !last) return undefined;
    after = last.blob;
  }
}

/** What a restore has to know of the blobs of one key. */
export interface KeyBlobs {
  readonly key: string;
  /** How many there are. */
  readonly count: number;
  /** Those that arrived at or after `since`, newest first, MOST_CANDIDATES at most. */
  readonly candidates: readonly StoredBlob[];
  /** When the oldest of all that arrived at or after `since` did; Infinity: none. */
  readonly oldest: number;
}

/** Of a key with more only the newest count; one that changes so often is not short of them. */
const MOST_CANDIDATES = 1000;

/**
 * The blobs of a life, key by key. Keys that lie within another (`a`, `a/b`) are told in between,
 * so a few are held at a time.
 */
export async function* keyBlobs(
  blobs: List,
  bucket: BucketRef,
  since: number,
): AsyncGenerator<KeyBlobs, undefined> {
  const open: KeyBlobs[] = [];
  for await (const blob of blobsOf(blobs, bucket)) {
    for (let top = open.at(-1); top && !pathOf(blob).startsWith(`${top.key}/`); top = open.at(-1)) {
      yield top;
      open.pop();
    }
    const same = open.at(-1)?.key === blob.key ? open.pop() : undefined;
    open.push(withBlob(same ?? nothingOf(blob.key), blob, since));
  }
  yield* open.reverse();
  return undefined;
}

const nothingOf = (key: string): KeyBlobs => ({
  key,
  count: 0,
  candidates: [],
  oldest: Number.POSITIVE_INFINITY,
});

function withBlob(group: KeyBlobs, blob: StoredBlob, since: number): KeyBlobs {
  const count = group.count + 1;
  if (blob.at < since) return { ...group, count };
  const candidates = [...group.candidates, blob].sort(newestFirst).slice(0, MOST_CANDIDATES);
  return { ...group, count, candidates, oldest: Math.min(group.oldest, blob.at) };
}

function newestFirst(a: StoredBlob, b: StoredBlob): number {
  return b.at - a.at || compareNames(b.ulid, a.ulid);
}
