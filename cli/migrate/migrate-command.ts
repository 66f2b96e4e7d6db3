/** `stowage migrate`: its arguments and its output. */
import path from 'node:path';
import { parseBucket } from '../shared/address';
import { UsageError } from '../shared/errors';
import { fileNameFor, stateFolder } from '../shared/folders';
import { findService } from '../shared/service';
import type { Session } from '../shared/session';
import { countText, shown } from '../shared/text';
import { migrate } from './migration';
import type { MigrationReport } from './options';
import { Service } from './services';
import { MigrationState } from './state';

export interface MigrateOptions {
  /** A profile. */
  readonly to: string;
  readonly once?: boolean;
  readonly intoExisting?: boolean;
  readonly parallel: number;
  /** Seconds. */
  readonly interval: number;
  readonly state?: string;
}

/** Throws UserError when something was not copied, or differs. */
export async function migrateCommand(
  session: Session,
  names: readonly string[],
  { to, once = false, intoExisting = false, parallel, interval, state: file }: MigrateOptions,
): Promise<void> {
  const { signal, progress, options: service } = session;
  const [from, into] = [
    findService(service),
    findService({ profile: to, allowPlainHttp: service.allowPlainHttp }),
  ];
  if (from.url === into.url) throw new UsageError(`${to} is the service to copy from`);
  const [source, target] = await Promise.all([Service.of(from), Service.of(into)]);
  const services = [from.url, into.url] as const;
  const about = JSON.stringify(['migrate', ...services]);
  const stateFile = file ?? path.join(stateFolder(), 'migrate', fileNameFor(about));
  const state = await MigrationState.open(stateFile, services);
  const following = new Set<string>();
  try {
    await migrate({
      ...{ source, target, state, signal, following },
      transfers: { source, target, folder: state.contentFolder, progress, signal },
      report: reportOf(session, into.url, once),
      options: {
        ...{ once, intoExisting, parallel },
        buckets: [...new Set(names.map(parseBucket))],
        intervalMs: interval * 1000,
      },
    });
    await state.removeContent();
  } catch (error) {
    // Ctrl-C is how it ends when everything is copied.
    if (once || !signal.aborted || following.size === 0) throw error;
  } finally {
    await state.close();
  }
}

function reportOf({ output }: Session, url: string, once: boolean): MigrationReport {
  const then = once
    ? ''
    : '; stop the writers, wait for this line with a later time, ' +
      `end this command, then point clients to ${url}`;
  return {
    copied: (bucket, count, cursor) =>
      output.print(
        { copied: bucket, objects: count, cursor },
        `copied ${countText(count, 'object')} of ${bucket}, with the changes after ${cursor} to come`,
      ),
    caughtUp: (cursors, at) => {
      const all = Object.entries(cursors).map(
        ([bucket, cursor]) => `cursor ${cursor} of ${bucket}`,
      );
      const text = `caught up at ${all.join(', ') || 'nothing'} (${at})${then}`;
      return output.print({ caught_up: cursors, at, url }, text);
    },
    differs: (bucket, key, reason) =>
      output.print({ differs: key, bucket, reason }, `${bucket}:${shown(key)} ${reason}`),
    verified: (bucket, count, cursor) =>
      output.print(
        { verified: bucket, objects: count, cursor },
        `verified ${countText(count, 'object')} of ${bucket} as of cursor ${cursor}`,
      ),
    failed: (key, error) => output.fail(error, key),
    note: (text) => output.note(text),
  };
}
