/**
 * `stowage restore-backup copy | repair`: restores the tables from restored ones or from S3 alone.
 * docs/backup.md describes when and how to use it.
 */
import { restore } from '../../../core/maintenance/recovery/recovery';
import { UsageError } from '../../shared/errors';
import { LOCAL_DATA } from '../../shared/service';
import type { Session } from '../../shared/session';
import { copyTable } from './copy-table';
import {
  type CopyOptions,
  type RepairOptions,
  type RestoreBackupOptions,
  restoreOptions,
} from './options';
import { deployedTarget, localTarget, restoreDeps, type Target } from './target';

/** `stowage restore-backup copy`. */
export async function copyCommand(session: Session, options: CopyOptions): Promise<void> {
  const { from, to, apply = false } = options;
  if (from === to) throw new UsageError('--from and --to are the same table');
  const { dynamo: client } = targetOf(session, options);
  const { put, removed } = await copyTable({ client, name: from }, { client, name: to }, apply);
  const verb = apply ? '' : 'would be ';
  const text = `${to}: ${put} items ${verb}put, ${removed} others ${verb}removed`;
  await session.output.print({ table: to, put, removed, applied: apply }, text);
}

/** `stowage restore-backup repair`. */
export async function repairCommand(session: Session, given: RepairOptions): Promise<void> {
  const options = restoreOptions(given, Date.now());
  const { output } = session;
  const applied = options.apply;
  const verb = applied ? '' : 'would be ';
  let count = 0;
  for await (const one of restore(restoreDeps(targetOf(session, given)), options)) {
    count += 1;
    const { bucket, id, made, keys, blobs, recovered, lost, live, droppedEntries, head } = one;
    const text = [
      `bucket ${bucket} (${id})${made ? `, ${verb}created` : ''}`,
      `  S3 holds ${blobs} blobs of ${keys} keys`,
      `  ${recovered} ${verb}recovered, ${lost} without bytes ${verb}deleted, ${live} live`,
      applied
        ? `  followers are reset, with cursors above ${head}; ` +
          `${droppedEntries} entries of the old log deleted`
        : '  every follower would be reset, and the history of versions would be deleted',
    ].join('\n');
    const figures = { keys, blobs, recovered, lost, live, dropped_entries: droppedEntries, head };
    await output.print({ bucket, bucket_id: id, created: made, ...figures, applied }, text);
  }
  const note = applied ? '' : '; nothing was changed: pass --apply to change it';
  if (!output.isJson) await output.print(undefined, `${count} buckets${note}`);
}

function targetOf({ options }: Session, { outputs }: RestoreBackupOptions): Target {
  return outputs ? deployedTarget(outputs) : localTarget(options.data ?? LOCAL_DATA);
}
