/** Copies a bucket as its list shows it. Its change log tells the rest. */
import { type ListPage, type ObjectDescriptor, StowageError } from '../../client/index';
import { EXIT, UsageError, UserError } from '../shared/errors';
import { Reconciler } from '../sync/reconciler';
import type { Migration } from './options';
import { hasSameContent, hasSameDescription, type ObjectPair, pairsOf } from './pairs';
import type { Service } from './services';
import type { BucketProgress } from './state';
import { bring, remove, type Transfers } from './transfer';

/** Objects after which the progress is saved. */
const STEP = 500;

/** Attempts for an object while errors are temporary: they last minutes. */
const ATTEMPTS = 60;

const CONTENT_HEADERS = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
];

/**
 * Creates the bucket of the target when it is absent, and decides where the copy begins. Throws
 * UserError when the bucket has objects that this migration has not made.
 */
export async function prepareBucket(migration: Migration, bucket: string): Promise<void> {
  const { source, target, state, options, signal } = migration;
  const from = await source.client.list(bucket, { limit: 1, signal });
  const to = await listOrCreate(target, bucket, signal);
  if (from.bucket_id === to.bucket_id) {
    throw new UsageError(`${target.url} is the service to copy from`);
  }
  const ids = [from.bucket_id, to.bucket_id] as const;
  const known = state.of(bucket);
  if (known?.ids.join() === ids.join()) return;
  const isKnown = known?.ids[1] === to.bucket_id;
  if (!isKnown && to.objects.length > 0 && !options.intoExisting) {
    throw new UserError(
      `${bucket} of ${target.url} has objects already: empty it, or pass --into-existing, ` +
        'which replaces those with the same keys',
      EXIT.conflict,
    );
  }
  const isShared = isKnown ? known.isShared : to.objects.length > 0;
  await state.save(bucket, { ids, cursor: from.cursor, copiedTo: '', isShared });
}

async function listOrCreate(
  { client }: Service,
  bucket: string,
  signal: AbortSignal,
): Promise<ListPage> {
  const list = () => client.list(bucket, { limit: 1, signal });
  try {
    return await list();
  } catch (error) {
    if (!(error instanceof StowageError && error.code === 'not_found')) throw error;
    await client.buckets.create(bucket, { signal });
    return list();
  }
}

/** Saves that the bucket is to be copied again, and compared object by object. */
export async function copyAgain({ state }: Migration, bucket: string): Promise<void> {
  const progress = state.of(bucket);
  if (!progress) return;
  // No bucket has this id, so that the next copy starts over.
  await state.save(bucket, { ...progress, ids: ['', progress.ids[1]], copiedTo: '' });
}

/** Makes the lifecycle rules those of the source. */
export async function copyRules(migration: Migration, bucket: string): Promise<void> {
  const { source, target, signal } = migration;
  const [{ lifecycle: from = [] }, { lifecycle: to = [] }] = await Promise.all([
    source.client.buckets.get(bucket, { signal }),
    target.client.buckets.get(bucket, { signal }),
  ]);
  if (JSON.stringify(from) === JSON.stringify(to)) return;
  await target.client.buckets.setLifecycle(bucket, from, { signal });
}

/**
 * Copies the objects after those that are copied. Returns the cursor of the last change of each
 * object that the list showed as it became after the saved cursor.
 */
export async function copyObjects(
  migration: Migration,
  bucket: string,
): Promise<ReadonlyMap<string, number>> {
  const { source, target, state, report, signal } = migration;
  const newer = new Map<string, number>();
  const begun = state.of(bucket);
  if (begun?.copiedTo === undefined) return newer;
  const options = { ...(begun.copiedTo && { startAfter: begun.copiedTo }), signal };
  const pairs = pairsOf(
    source.client.objects(bucket, options),
    target.client.objects(bucket, options),
  );
  let count = 0;
  let step: ObjectPair[] = [];
  const copyStep = async (copiedTo: string | undefined) => {
    await eachKey(migration, new Map(step.map((pair) => [pair.key, pair])), (pair) =>
      settle(migration, begun, pair),
    );
    step = [];
    await state.save(bucket, { ...begun, copiedTo });
  };
  for await (const pair of pairs) {
    step.push(pair);
    if (pair.from) count += 1;
    if (pair.from && pair.from.cursor > begun.cursor) newer.set(pair.key, pair.from.cursor);
    if (step.length === STEP) await copyStep(pair.key);
  }
  await copyStep(undefined);
  await report.copied(bucket, count, begun.cursor);
  return newer;
}

/** Runs `work` for each key, several at a time. Throws UserError when one has failed. */
export async function eachKey<Item>(
  { report, options: { parallel }, signal }: Migration,
  items: ReadonlyMap<string, Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  let failed = 0;
  const reconciler = new Reconciler({
    ...{ parallel, signal, attempts: ATTEMPTS },
    settle: async (key) => {
      await work(items.get(key) as Item);
      return { did: 'nothing' };
    },
    done: () => undefined,
    failed: (key, error) => {
      failed += 1;
      report.failed(key, error);
    },
  });
  reconciler.add(items.keys());
  await reconciler.settled();
  signal.throwIfAborted();
  if (failed > 0) {
    throw new UserError('not everything could be copied; the same command continues there');
  }
}

async function settle(
  migration: Migration,
  { isShared }: BucketProgress,
  { from, to }: ObjectPair,
): Promise<void> {
  const { transfers } = migration;
  if (from && to && (await isSame(transfers, from, to))) return;
  if (from) await bring(transfers, from);
  else if (to && !isShared) await remove(transfers, to);
}

/** Lists do not show the content headers. */
async function isSame(
  { source, target, signal }: Transfers,
  from: ObjectDescriptor,
  to: ObjectDescriptor,
): Promise<boolean> {
  if (!hasSameContent(from, to) || !hasSameDescription(from, to)) return false;
  const [one, other] = await Promise.all([
    source.client.head(from.bucket, from.key, { version: from.version, signal }),
    target.client.head(to.bucket, to.key, { version: to.version, signal }),
  ]);
  return CONTENT_HEADERS.every((name) => one.headers.get(name) === other.headers.get(name));
}
