/** One sync: compares a folder with a bucket, or two buckets, once. */
import type { StowageClient } from '../../client/index';
import { UsageError } from '../shared/errors';
import { syncBuckets } from './buckets';
import { objectsOf, requireObjects } from './object-list';
import type { Place, Report, SyncOptions } from './options';
import { type OpenedPair, openPair, removeWorkFolder, type Sides, scanRoot } from './pair';
import { Reconciler, reportOutcome } from './reconciler';
import { SyncState } from './state';
import { watchPair } from './watch';

/** Attempts for one name when errors are temporary, on top of the client's own retries. */
const ATTEMPTS = 5;

export interface WatchOptions {
  /** Time between two comparisons of everything, which find unreported changes. */
  readonly intervalMs: number;
}

/**
 * Makes the destination equal to the source, and with `watch` keeps it equal until the signal is
 * aborted. Throws the reason of the signal, UserError, and StowageError when nothing can be
 * compared. Failures of single names are reported.
 */
export async function sync(
  client: StowageClient,
  { source, destination }: { readonly source: Place; readonly destination: Place },
  { options, report }: { readonly options: SyncOptions; readonly report: Report },
  watch?: WatchOptions,
): Promise<void> {
  if (source.kind === 'bucket' && destination.kind === 'bucket') {
    if (watch) throw new UsageError('--watch needs a folder on one side');
    await syncBuckets(client, { source, destination }, options, report);
  } else if (source.kind === 'folder' && destination.kind === 'bucket') {
    const sides = { client, direction: 'to-bucket', folder: source, bucket: destination } as const;
    await syncFolder(sides, options, report, watch);
  } else if (source.kind === 'bucket' && destination.kind === 'folder') {
    const sides = { client, direction: 'to-folder', folder: destination, bucket: source } as const;
    await syncFolder(sides, options, report, watch);
  } else {
    throw new UsageError('one of the two must be a bucket, such as photos: or photos:2026/');
  }
}

async function syncFolder(
  sides: Sides,
  options: SyncOptions,
  report: Report,
  watch: WatchOptions | undefined,
): Promise<void> {
  const { direction, folder, bucket } = sides;
  const about = [direction, folder.path, bucket.bucket, bucket.prefix].join('\n');
  const state = await SyncState.open(options.stateFile, about);
  try {
    const pair = await openPair(sides, options, report, state);
    if (watch) await watchPair(pair, watch.intervalMs);
    else await syncOnce(pair);
    if (direction === 'to-folder' && !options.dryRun) await removeWorkFolder(pair.root);
  } finally {
    await state.close();
  }
}

async function syncOnce(pair: OpenedPair): Promise<void> {
  const { list, options, report, settle } = pair;
  const { signal, parallel } = options;
  const { bucket, direction } = pair;
  const objects = await objectsOf(pair.client, bucket, list.prefix, signal);
  if (direction === 'to-folder') {
    requireObjects({ bucket, prefix: list.prefix }, objects.length, options);
  }
  list.reset(objects);
  const { files } = await scanRoot(pair);
  const reconciler = new Reconciler({
    ...{ settle, parallel, signal, attempts: ATTEMPTS, failed: report.failed },
    done: (name, outcome) => reportOutcome(report, name, outcome),
  });
  // Deletions come first, because a file may block a folder of its name and the reverse.
  const isKept = (name: string) =>
    direction === 'to-bucket' ? files.has(name) : list.wanted(name).object !== undefined;
  const names = [...new Set([...files, ...list.names])];
  for (const isLater of [false, true]) {
    reconciler.add(names.filter((name) => isKept(name) === isLater));
    await reconciler.settled();
    signal.throwIfAborted();
  }
  report.inStep(undefined);
}
