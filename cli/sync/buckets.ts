/** Syncs a bucket to a bucket. S3 copies the bytes, which do not pass through this machine. */
import type { ObjectDescriptor, StowageClient } from '../../client/index';
import { StowageError } from '../../client/index';
import { UsageError } from '../shared/errors';
import { contentOf } from './contents';
import { objectsOf, requireObjects } from './object-list';
import type { BucketPlace, Report, SyncOptions } from './options';
import { type Outcome, Reconciler, reportOutcome } from './reconciler';
import { SyncState } from './state';

const ATTEMPTS = 5;

interface Places {
  readonly source: BucketPlace;
  readonly destination: BucketPlace;
}

export async function syncBuckets(
  client: StowageClient,
  places: Places,
  options: SyncOptions,
  report: Report,
): Promise<void> {
  const { source, destination } = places;
  const isSameBucket = source.bucket === destination.bucket;
  const { prefix } = source;
  if (
    isSameBucket &&
    (prefix.startsWith(destination.prefix) || destination.prefix.startsWith(prefix))
  ) {
    throw new UsageError('the source and the destination overlap');
  }
  const about = ['buckets', source.bucket, prefix, destination.bucket, destination.prefix];
  const state = await SyncState.open(options.stateFile, about.join('\n'));
  try {
    const [from, to] = await Promise.all(
      [source, destination].map(async (place) => {
        const all = await objectsOf(client, place.bucket, place.prefix, options.signal);
        return new Map(all.map((object) => [object.key.slice(place.prefix.length), object]));
      }),
    );
    if (!from || !to) return;
    requireObjects(source, from.size, options);
    const { parallel, signal } = options;
    const reconciler = new Reconciler({
      ...{ parallel, signal, attempts: ATTEMPTS, failed: report.failed },
      settle: (name) =>
        settleCopy({ client, places, options, state }, name, from.get(name), to.get(name)),
      done: (name, outcome) => reportOutcome(report, name, outcome),
    });
    reconciler.add([...from.keys(), ...to.keys()]);
    await reconciler.settled();
    signal.throwIfAborted();
    report.inStep(undefined);
  } finally {
    await state.close();
  }
}

interface Copying {
  readonly client: StowageClient;
  readonly places: Places;
  readonly options: SyncOptions;
  readonly state: SyncState;
}

async function settleCopy(
  { client, places: { source, destination }, options, state }: Copying,
  name: string,
  from: ObjectDescriptor | undefined,
  to: ObjectDescriptor | undefined,
): Promise<Outcome> {
  const { signal, dryRun } = options;
  const key = destination.prefix + name;
  if (options.isExcluded(name)) return { did: 'nothing' };
  try {
    if (!from) {
      if (!to || !options.delete) return { did: 'nothing' };
      if (!dryRun) await client.delete(destination.bucket, key, { ifMatch: to.etag, signal });
      return { did: 'deleted' };
    }
    if (to && isSame(state, name, from, to)) return { did: 'nothing' };
    if (dryRun) return { did: 'copied', size: from.size };
    const copied = { bucket: source.bucket, key: from.key, version: from.version };
    const condition = to ? { ifMatch: to.etag } : { ifNoneMatch: '*' as const };
    const made = await client.copy(destination.bucket, key, copied, { ...condition, signal });
    state.remember(name, { sign: contentOf(from), content: contentOf(made), at: 0 });
    return { did: 'copied', size: from.size };
  } catch (error) {
    const isOvertaken = error instanceof StowageError && error.code === 'precondition_failed';
    if (!isOvertaken) throw error;
    return {
      did: 'waits',
      reason: 'somebody else changed the object after it was listed: sync again',
    };
  }
}

/** A copy of a multipart upload has another etag, so the state records its source. */
function isSame(
  state: SyncState,
  name: string,
  from: ObjectDescriptor,
  to: ObjectDescriptor,
): boolean {
  if (from.size !== to.size || describes(from) !== describes(to)) return false;
  if (from.checksum_sha256 !== undefined && to.checksum_sha256 !== undefined) {
    return from.checksum_sha256 === to.checksum_sha256;
  }
  const known = state.known.get(name);
  const isKnown = known?.sign === contentOf(from) && known.content === contentOf(to);
  return from.etag === to.etag || isKnown;
}

function describes({ content_type, metadata }: ObjectDescriptor): string {
  return JSON.stringify([content_type, Object.entries(metadata).sort()]);
}
