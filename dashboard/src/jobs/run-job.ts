/** Runs a job with the client. A second run of the same job only does what the first has left. */
import type { StowageClient } from '../../../client/client';
import type { CommitChange, MoveObjectChange } from '../../../client/commits';
import { StowageError } from '../../../client/errors';
import { retry } from '../../../client/retry';
import { plural } from '../parts/format';
import type { JobSpec, JobWatch, Relocation } from './job';

/** Most changes in a commit; a move counts as two. */
const CHANGES = 32;

/** `etag`: the ETag of the source, where the deletion of the source depends on it. */
type Move = Pick<Relocation, 'from' | 'to'> & { readonly etag?: string };

type Relocating = Extract<JobSpec, { kind: 'copy' | 'move' }>;

/** Runs a job to its end. Throws StowageError, or the reason of the signal. */
export async function runJob(client: StowageClient, spec: JobSpec, watch: JobWatch): Promise<void> {
  if (spec.kind === 'delete') await deleteAll(client, spec, watch);
  else await relocateAll(client, spec, watch);
}

async function deleteAll(
  client: StowageClient,
  { bucket, keys, prefixes }: Extract<JobSpec, { kind: 'delete' }>,
  watch: JobWatch,
): Promise<void> {
  let done = 0;
  const progress = (count: number) => {
    done += count;
    watch.progress(`${plural(done, 'object')} deleted`);
  };
  for (const some of chunksOf(keys, CHANGES)) {
    const changes = some.map((key) => ({ op: 'delete', key, ifExists: true }) as const);
    await commit(client, { bucket, changes }, watch);
    progress(some.length);
  }
  for (const prefix of prefixes) {
    const { signal } = watch;
    await withRetries(signal, () =>
      client.removeAll(bucket, prefix, { signal, onProgress: progress }),
    );
  }
}

async function relocateAll(
  client: StowageClient,
  spec: Relocating,
  watch: JobWatch,
): Promise<void> {
  let done = 0;
  const isMove = spec.kind === 'move' && spec.bucket === spec.toBucket;
  const relocate = async (moves: readonly Move[]) => {
    if (moves.length === 0) return;
    if (isMove) await commit(client, { bucket: spec.bucket, changes: moves.map(moveOf) }, watch);
    else await copyAll(client, spec, moves, watch);
    done += moves.length;
    watch.progress(`${plural(done, 'object')} ${spec.kind === 'move' ? 'moved' : 'copied'}`);
  };
  const size = isMove ? CHANGES / 2 : CHANGES;
  const some: Move[] = [];
  for await (const move of movesOf(client, spec, watch)) {
    some.push(move);
    if (some.length === size) await relocate(some.splice(0));
  }
  await relocate(some);
}

/**
 * Copies objects within a bucket or to another one. For a move it then deletes the sources, except
 * those that were written after the copy.
 */
async function copyAll(
  client: StowageClient,
  { kind, bucket, toBucket }: Omit<Relocating, 'relocations'>,
  moves: readonly Move[],
  watch: JobWatch,
): Promise<void> {
  const copies = moves.map(
    ({ from, to }): CommitChange => ({
      ...{ op: 'copy', key: to, from: { bucket, key: from }, ifNoneMatch: '*' },
    }),
  );
  const left = new Set<string>();
  const skip = (key: string) => {
    left.add(key);
    watch.skip(key);
  };
  // With the ETags in the id, a source that was written since the first attempt is copied again.
  const id = JSON.stringify([watch.id, ...moves.map(({ etag }) => etag ?? '')]);
  await commit(client, { bucket: toBucket, changes: copies }, { ...watch, id, skip });
  if (kind === 'copy') return;
  const changes = moves
    .filter(({ to }) => !left.has(to))
    .map(
      ({ from, etag }): CommitChange => ({
        ...{ op: 'delete', key: from, ifExists: true, ifMatch: etag },
      }),
    );
  if (changes.length > 0) await commit(client, { bucket, changes }, watch);
}

function moveOf({ from, to }: Move): CommitChange {
  return { op: 'move', key: to, from: { key: from }, ifNoneMatch: '*' };
}

async function* movesOf(
  client: StowageClient,
  { kind, bucket, toBucket, relocations }: Relocating,
  watch: JobWatch,
): AsyncGenerator<Move> {
  const { signal } = watch;
  for (const { from, to, isFolder } of relocations) {
    if (isFolder) {
      for await (const { key, etag } of client.objects(bucket, { prefix: from, signal })) {
        yield { from: key, to: to + key.slice(from.length), etag };
      }
    } else if (kind === 'copy' || bucket === toBucket) yield { from, to };
    else {
      const etag = await etagOf(client, { bucket, key: from }, watch);
      if (etag !== undefined) yield { from, to, etag };
    }
  }
}

/** Returns undefined when the object does not exist. */
async function etagOf(
  client: StowageClient,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  { signal, skip }: JobWatch,
): Promise<string | undefined> {
  try {
    return (await withRetries(signal, () => client.describe(bucket, key, { signal }))).etag;
  } catch (error) {
    if (!(error instanceof StowageError) || error.code !== 'not_found') throw error;
    skip(key);
    return undefined;
  }
}

/**
 * Makes the changes in one commit. If the service refuses it, or if it is too large, splits it into
 * smaller ones. A change that is refused alone is skipped.
 */
async function commit(
  client: StowageClient,
  { bucket, changes }: { readonly bucket: string; readonly changes: readonly CommitChange[] },
  watch: JobWatch,
): Promise<void> {
  const { signal } = watch;
  // All attempts have the same key, also after the job is continued: the first may have succeeded.
  const idempotencyKey = await hashOf(JSON.stringify([watch.id, bucket, changes]));
  try {
    await withRetries(signal, () => send(client, { bucket, changes }, { signal, idempotencyKey }));
  } catch (error) {
    const code = error instanceof StowageError ? error.code : '';
    const isRefused = code === 'precondition_failed' || code === 'not_found';
    if (!isRefused && code !== 'payload_too_large') throw error;
    const [first] = changes;
    if (changes.length === 1 && first && isRefused) watch.skip(first.key);
    else if (changes.length === 1 && first?.op === 'move')
      await moveLarge(client, bucket, first, watch);
    else if (changes.length === 1) throw error;
    else {
      const middle = Math.ceil(changes.length / 2);
      for (const half of [changes.slice(0, middle), changes.slice(middle)]) {
        await commit(client, { bucket, changes: half }, watch);
      }
    }
  }
}

/** The service copies more than 5 GiB, and does not move it. */
async function moveLarge(
  client: StowageClient,
  bucket: string,
  { key: to, from: { key: from } }: MoveObjectChange,
  watch: JobWatch,
): Promise<void> {
  const etag = await etagOf(client, { bucket, key: from }, watch);
  if (etag === undefined) return;
  const within = { kind: 'move', bucket, toBucket: bucket } as const;
  await copyAll(client, within, [{ from, to, etag }], watch);
}

/** A copy of more than 5 GiB needs a commit of its own, which ends before the copy does. */
async function send(
  client: StowageClient,
  { bucket, changes }: { readonly bucket: string; readonly changes: readonly CommitChange[] },
  options: { readonly signal: AbortSignal; readonly idempotencyKey: string },
): Promise<void> {
  const [change] = changes;
  if (changes.length === 1 && change?.op === 'copy') {
    const { key, from, ifNoneMatch } = change;
    await client.copy(bucket, key, from, { ifNoneMatch, ...options });
  } else await client.commit(bucket, changes, options);
}

async function hashOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Repeats a request after failures of the network and after rate limits. */
function withRetries<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return retry(work, { signal, random: Math.random });
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
