/** Random histories of a bucket on the fakes, and a model of its state at every cursor. */
import fc from 'fast-check';
import { type CommitPosition, commitChanges } from '../../core/log/commit';
import { publishChanges } from '../../core/log/publish';
import { trimBucket } from '../../core/log/trim';
import { liveRecord } from '../../core/objects/objects';
import type { BucketRecord, BucketStats } from '../../core/store/buckets';
import type { ObjectRecord } from '../../core/store/objects';
import { BUCKET, DAY, put, remove, storeBlob, type World } from './bucket-world';

export const KEYS = ['a', 'a/1', 'a/2', 'a/b/1', 'b', 'b/1', 'c'];

export type Step =
  | { readonly kind: 'put'; readonly key: string }
  | { readonly kind: 'delete'; readonly key: string }
  /** Puts every second key and deletes the others, in one commit. */
  | { readonly kind: 'commit'; readonly keys: readonly string[] }
  /** A writer takes a cursor and dies. */
  | { readonly kind: 'gap' }
  | { readonly kind: 'publish' }
  /** Days pass, then the log is trimmed. */
  | { readonly kind: 'trim'; readonly days: number };

const key = fc.constantFrom(...KEYS);
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant<'put'>('put'), key }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant<'delete'>('delete'), key }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant<'commit'>('commit'),
      keys: fc.uniqueArray(key, { minLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'gap' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'publish' }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant<'trim'>('trim'),
      days: fc.integer({ min: 1, max: 6 }),
    }),
  },
);

/** What a key held: its size stands for its content, so every version has another one. */
export type State = ReadonlyMap<string, number>;

export class Model {
  /** By cursor. */
  readonly states: State[] = [new Map()];
  private readonly whole = new Map<number, number>();

  change(cursor: number, name: string, size: number | undefined): void {
    const next = new Map(this.at(cursor - 1));
    if (size === undefined) next.delete(name);
    else next.set(name, size);
    this.states[cursor] = next;
  }

  /** All of them at the last cursor; before it the state is that before the first. */
  commit(first: number, changes: readonly (readonly [string, number | undefined])[]): void {
    const next = new Map(this.at(first - 1));
    for (const [name, size] of changes) {
      if (size === undefined) next.delete(name);
      else next.set(name, size);
    }
    const last = first + changes.length - 1;
    this.states[last] = next;
    for (let cursor = first; cursor < last; cursor++) this.whole.set(cursor, first - 1);
  }

  /** The cursor whose state is seen at this one. */
  wholeAt(cursor: number): number {
    return this.whole.get(cursor) ?? cursor;
  }

  /** A cursor of a failed writer has the state before it. */
  at(cursor: number): State {
    return this.states[cursor] ?? this.at(cursor - 1);
  }
}

/** Makes the history. Everything is published afterwards. */
export async function run(
  deps: World,
  bucket: BucketRecord,
  steps: readonly Step[],
): Promise<Model> {
  const model = new Model();
  let size = 0;
  for (const one of steps) {
    if (one.kind === 'put') {
      const { cursor } = await put(deps, one.key, 'x'.repeat(++size));
      model.change(cursor, one.key, size);
    } else if (one.kind === 'delete') {
      const gone = await remove(deps, one.key).catch(() => undefined);
      if (gone?.result === 'committed') model.change(gone.object.cursor, one.key, undefined);
    } else if (one.kind === 'commit') {
      size += one.keys.length;
      await commit(deps, bucket, model, { keys: one.keys, size });
    } else if (one.kind === 'gap') {
      await deps.commits.allocate(bucket);
    } else if (one.kind === 'publish') {
      await publishChanges(deps, BUCKET, { fillAllGaps: true });
    } else {
      deps.clock.advance(one.days * DAY);
      await publishChanges(deps, BUCKET, { fillAllGaps: true });
      await trimBucket(deps, bucket, await statsOf(deps), { entries: 1000 });
    }
  }
  await publishChanges(deps, BUCKET, { fillAllGaps: true });
  return model;
}

async function commit(
  deps: World,
  bucket: BucketRecord,
  model: Model,
  { keys, size }: { readonly keys: readonly string[]; readonly size: number },
): Promise<void> {
  const sizes = keys.map((name, n) => [name, n % 2 === 0 ? size - n : undefined] as const);
  const reads = await Promise.all(keys.map((name) => deps.objects.get(bucket.id, name)));
  const intents = await Promise.all(
    sizes.map(async ([name, bytes], n) => {
      const blob = `objects/${BUCKET}.${bucket.id}/${name}/${deps.ids.ulid()}`;
      const stored =
        bytes === undefined ? undefined : await storeBlob(deps, blob, 'x'.repeat(bytes));
      const content = { contentType: 'a/b', headers: {}, metadata: {} };
      return {
        key: name,
        check: () => undefined,
        build: (position: CommitPosition): ObjectRecord =>
          bytes === undefined
            ? tombstoneAt(position, name)
            : liveRecord(
                { bucket, key: name, blob, etag: stored?.etag ?? '', size: bytes, ...content },
                position,
                reads[n],
              ),
      };
    }),
  );
  const outcome = await commitChanges(deps, { bucket, intents }, reads);
  if (outcome.result !== 'committed') throw new Error(outcome.result);
  model.commit(outcome.changes[0]?.object.cursor ?? 0, sizes);
}

function tombstoneAt({ at, ...position }: CommitPosition, name: string): ObjectRecord {
  return { state: 'deleted', bucket: BUCKET, key: name, ...position, deletedAt: at };
}

export async function statsOf(deps: World): Promise<BucketStats> {
  const stats = await deps.buckets.stats(BUCKET);
  if (!stats) throw new Error('no bucket');
  return stats;
}
