/** A folder and a bucket, opened for a sync. */
import { mkdir, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StowageClient } from '../../client/index';
import { UserError } from '../shared/errors';
import { Contents } from './contents';
import { isAbsent, type Scan, scan, statOf } from './local-files';
import { WORK_FOLDER } from './names';
import { ObjectList } from './object-list';
import type { BucketPlace, FolderPlace, Pair, Report, SyncOptions } from './options';
import type { ReconcilerOptions } from './reconciler';
import { SmallUploads } from './small-uploads';
import type { SyncState } from './state';
import { settleObject } from './to-bucket';
import { settleFile } from './to-folder';

export type Direction = 'to-bucket' | 'to-folder';

export interface OpenedPair extends Pair {
  readonly direction: Direction;
  readonly state: SyncState;
  readonly settle: ReconcilerOptions['settle'];
}

export interface Sides {
  readonly client: StowageClient;
  readonly direction: Direction;
  readonly folder: FolderPlace;
  readonly bucket: BucketPlace;
}

/** Throws UserError when the path does not exist or is not a folder. */
export async function openPair(
  { client, direction, folder, bucket }: Sides,
  options: SyncOptions,
  report: Report,
  state: SyncState,
): Promise<OpenedPair> {
  const root = folder.path;
  const isNew = await requireFolder(root, direction, options);
  const ignoresCase = direction === 'to-folder' && !isNew && (await doesIgnoreCase(root));
  const list = new ObjectList(bucket.prefix, { ignoresCase });
  const contents = new Contents(root, state, options);
  const pair = { client, root, bucket: bucket.bucket, list, contents, options, report };
  const uploading = { ...pair, smallUploads: new SmallUploads(client, bucket.bucket, options) };
  const settle: ReconcilerOptions['settle'] = (name, yields) =>
    direction === 'to-bucket' ? settleObject(uploading, name, yields) : settleFile(pair, name);
  return { ...pair, direction, state, settle };
}

/** Creates the folder. Returns whether it is still missing, as in a dry run. */
async function requireFolder(
  root: string,
  direction: Direction,
  { dryRun }: SyncOptions,
): Promise<boolean> {
  const found = await stat(root).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (found?.isDirectory()) return false;
  if (found) throw new UserError(`${root} is no folder`);
  if (direction === 'to-bucket') throw new UserError(`there is no folder ${root}`);
  if (!dryRun) await mkdir(root, { recursive: true });
  return dryRun;
}

/** Reports whether the file system of the folder ignores case. */
async function doesIgnoreCase(root: string): Promise<boolean> {
  const probe = path.join(root, WORK_FOLDER, `Probe-${process.pid}`);
  try {
    await mkdir(path.dirname(probe), { recursive: true });
    await writeFile(probe, '');
    const isSame =
      (await statOf(probe.toLowerCase().replace(root.toLowerCase(), root))) !== undefined;
    await unlink(probe);
    return isSame;
  } catch {
    // A folder that is not writable is reported for each file.
    return false;
  } finally {
    await removeWorkFolder(root);
  }
}

/** Keeps what an interrupted download has left there. */
export async function removeWorkFolder(root: string): Promise<void> {
  await rmdir(path.join(root, WORK_FOLDER)).catch(() => undefined);
}

/** The files of the folder. Reports what is no file and what cannot be read. */
export async function scanRoot(
  pair: Pair,
  onFolders: (folders: readonly string[]) => boolean = () => false,
): Promise<Scan> {
  const { root, options } = pair;
  let found: Scan;
  do found = await scan(root, options.isPruned, options.signal);
  while (onFolders(found.folders));
  const cause = found.unreadable.get('');
  if (cause !== undefined && !(isAbsent(cause) && options.dryRun)) {
    throw new UserError(`the folder ${root} cannot be read: ${(cause as Error).message}`);
  }
  found.unreadable.delete('');
  reportOthers(pair, found);
  return found;
}

/** Reports what a scan has found and a sync cannot work with. */
export function reportOthers({ options, report }: Pair, { unreadable, others }: Scan): void {
  for (const [folder, error] of unreadable) report.failed(`${folder}/`, error);
  for (const { name, shown, isFolder, reason } of others) {
    // A pattern may include what is in a folder, and not the folder.
    if (isFolder || !options.isExcluded(name)) report.skipped(shown, reason);
  }
}
