/** The options of `stowage restore-backup`. */
import type { RestoreOptions } from '../../../core/maintenance/recovery/recovery-deps';
import { timeIn } from '../../../core/times';
import { UsageError } from '../../shared/errors';

export interface RestoreBackupOptions {
  readonly outputs?: string;
  readonly apply?: boolean;
}

export interface CopyOptions extends RestoreBackupOptions {
  readonly from: string;
  readonly to: string;
}

export interface RepairOptions extends RestoreBackupOptions {
  readonly moment?: string;
  readonly lost?: boolean;
  readonly dropNewer?: boolean;
  readonly bucket?: string;
}

/** Throws UsageError when the options contradict each other. */
export function restoreOptions(options: RepairOptions, now: number): RestoreOptions {
  const { moment, lost = false, apply = false, bucket, dropNewer = false } = options;
  if ((moment === undefined) !== lost)
    throw new UsageError('repair requires either --moment or --lost');
  if (lost && dropNewer)
    throw new UsageError('--drop-newer requires --moment: with --lost every object is newer');
  const time = moment === undefined ? Number.NEGATIVE_INFINITY : Date.parse(timeIn(moment) ?? '');
  if (Number.isNaN(time)) {
    throw new UsageError(
      `--moment must be a time with its zone, such as 2026-11-22T03:00:00Z, got ${moment}`,
    );
  }
  if (time > now) throw new UsageError(`--moment is in the future: ${moment}`);
  return { moment: time, dropNewer, apply, bucket };
}
