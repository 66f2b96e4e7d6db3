/**
 * Reads S3's list of blobs as a stream, grouped by key: one page of each list is in memory at a
 * time, however many blobs there are.
 */
import type { BucketRef } from '../../bucket-ref';
import { compareNames } from '../../names';
import { type BlobName, parseBlobName, ulidTime } from '../../objects/blob-names';
import type { Blobs } from '../../store/blobs';

export type BlobList = Pick<Blobs, 'list'>;

const PREFIXES = ['objects/', 'uploads/'] as const;

export interface StoredBlob extends BlobName {
  readonly blob: string;
  /** When its bytes arrived, as exactly as S3 and the name show. Epoch milliseconds. */
  readonly at: number;
}

/**
 * The name of a PUT's blob holds the millisecond in which the PUT began, also when the bytes were
 * copied since. The name of a presigned upload holds the millisecond in which its URL was made; so
 * S3's own time counts there, which is in seconds and, of an upload in parts, the time of its
 * beginning. Returns undefined when not a blob of this service.
 */
function storedBlob(blob: string, lastModified: string): StoredBlob | undefined {
  const name = parseBlobName(blob);
  if (!name) return undefined;
  const named = ulidTime(name.ulid);
  const written = Date.parse(lastModified);
  const isPut = blob.startsWith('objects/') && !Number.isNaN(named);
  return { blob, ...name, at: isPut ? named : Math.max(written, named || 0) };
}

/** Every incarnation of a bucket that blobs name, in no order. AWS calls: 1 ListObjectsV2 each. */
export async function listIncarnations(blobs: BlobList): Promise<readonly BucketRef[]> {
  const found = new Map<string, BucketRef>();
  for (const prefix of PREFIXES) {
    for (let after: string | undefined; ; ) {
      const first: string | undefined = (await blobs.list(prefix, after)).items[0]?.blob;
      if (first === undefined) break;
      const slash = first.indexOf('/', prefix.length);
      const [, name, id] =
        /^([a-z0-9-]+)\.([0-9A-Za-z]{12})$/.exec(first.slice(prefix.length, slash)) ?? [];
      if (slash > 0 && name !== undefined && id !== undefined) found.set(id, { name, id });
      // `0` is the character after `/`: continues after every blob with this beginning.
      after = slash > 0 ? `${first.slice(0, slash)}0` : first;
    }
  }
  return [...found.values()];
}

/**
 * All blobs of a bucket in the order of their names, as if both prefixes were one. AWS calls: 1
 * ListObjectsV2 per 1000.
 */
async function* blobsOf(blobs: BlobList, { name, id }: BucketRef): AsyncGenerator<StoredBlob> {
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

async function* below(blobs: BlobList, prefix: string): AsyncGenerator<StoredBlob, undefined> {
  for (let after: string | undefined; ; ) {
    const page: Awaited<ReturnType<BlobList['list']>> = await blobs.list(prefix, after);
    for (const { blob, lastModified } of page.items) {
      const found = storedBlob(blob, lastModified);
      if (found) yield found;
    }
    const last = page.items.at(-1);
    if (!page.more || !last) return undefined;
    after = last.blob;
  }
}

/** What a restore needs of the blobs of one key. */
export interface KeyBlobs {
  readonly key: string;
  /** The number of all its blobs. */
  readonly count: number;
  /** Those that arrived at or after `since`, newest first, MOST_CANDIDATES at most. */
  readonly candidates: readonly StoredBlob[];
  /** When the oldest of those that arrived at or after `since` arrived; Infinity: none. */
  readonly oldest: number;
}

/** A key with more new blobs than this can do without the older ones. */
const MOST_CANDIDATES = 1000;

/**
 * The blobs of a bucket, key by key. The keys below another one (`a/b` below `a`) come in between
 * its blobs, so the few keys that are open are held in memory. `dated`: the blob with the time that
 * counts in place of its arrival.
 */
export async function* keyBlobs(
  blobs: BlobList,
  bucket: BucketRef,
  since: number,
  dated = (found: StoredBlob): StoredBlob => found,
): AsyncGenerator<KeyBlobs, undefined> {
  const open: KeyBlobs[] = [];
  for await (const found of blobsOf(blobs, bucket)) {
    const blob = dated(found);
    for (let top = open.at(-1); top && !pathOf(blob).startsWith(`${top.key}/`); top = open.at(-1)) {
      yield top;
      open.pop();
    }
    const same = open.at(-1)?.key === blob.key ? open.pop() : undefined;
    open.push(withBlob(same ?? nothingOf(blob.key), blob, since));
  }
  yield* open;
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
