/** `stowage sync`: its arguments and its output. */
import path from 'node:path';
import { folderPrefix, parseAddress } from '../shared/address';
import { UsageError, UserError } from '../shared/errors';
import { fileNameFor, stateFolder } from '../shared/folders';
import type { Session } from '../shared/session';
import { countText, shown, sizeText } from '../shared/text';
import { excludedBy, prunedBy } from './filter';
import type { Place, Report } from './options';
import { sync } from './sync';

export interface SyncCommandOptions {
  readonly delete?: boolean;
  readonly dryRun?: boolean;
  readonly checksum?: boolean;
  readonly watch?: boolean;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly parallel: number;
  readonly interval: number;
  readonly state?: string;
}

/** Throws UserError when a name has failed. */
export async function syncCommand(
  session: Session,
  from: string,
  to: string,
  options: SyncCommandOptions,
): Promise<void> {
  const { dryRun = false, watch = false } = options;
  if (watch && dryRun) throw new UsageError('--watch does nothing with --dry-run');
  const places = { source: placeOf(from), destination: placeOf(to) };
  const client = await session.client();
  const reported = new PrintedReport(session, dryRun);
  const about = JSON.stringify([session.url, places]);
  const syncOptions = {
    ...{ delete: options.delete ?? false, dryRun, checksum: options.checksum ?? false },
    parallel: options.parallel,
    isExcluded: excludedBy(options),
    isPruned: prunedBy(options),
    stateFile: options.state ?? stateFileOf(about),
    signal: session.signal,
  };
  const context = { options: syncOptions, report: reported.report };
  const watched = watch ? { intervalMs: options.interval * 1000 } : undefined;
  try {
    await sync(client, places, context, watched);
  } catch (error) {
    // An interruption ends a watch without a failure, even before it has begun.
    if (!watch || !session.signal.aborted) throw error;
  }
  reported.end();
}

/** A prefix is a folder: `photos:2026` and `photos:2026/` are the same. */
export function placeOf(text: string): Place {
  const address = parseAddress(text);
  if (address.kind === 'standard') throw new UsageError('- is neither a folder nor a bucket');
  if (address.kind === 'local') return { kind: 'folder', path: path.resolve(address.path) };
  return { kind: 'bucket', bucket: address.bucket, prefix: folderPrefix(address.key) };
}

/** Returns the state file of a pair of places. */
export function stateFileOf(about: string): string {
  return path.join(stateFolder(), 'sync', fileNameFor(about));
}

/** Prints and counts the events of a sync. */
export class PrintedReport {
  readonly report: Report;
  readonly #session: Session;
  readonly #isDry: boolean;
  readonly #counts = new Map<string, number>();
  /** Printed reasons by name, because a watch finds the same ones repeatedly. */
  readonly #skipped = new Map<string, string>();

  constructor(session: Session, isDry: boolean) {
    const { output, progress } = session;
    this.#session = session;
    this.#isDry = isDry;
    this.report = {
      changed: (name, did, size) => this.#changed(name, did, size),
      skipped: (name, reason) => {
        if (this.#skipped.get(name) === reason) return;
        this.#skipped.set(name, reason);
        const text = `skipped     ${shown(name)}: ${shown(reason)}`;
        this.#print({ skipped: name, reason }, text);
      },
      failed: (name, error) => {
        this.#count('failed');
        output.fail(error, name);
      },
      transfer: (name, size) => {
        progress.expect(size);
        return progress.begin(name);
      },
      inStep: (cursor) => {
        if (cursor === undefined) return;
        this.#print({ in_step: cursor }, `in step at cursor ${cursor}`);
      },
      note: (text) => output.note(shown(text)),
    };
  }

  /** Prints the totals. Throws UserError when a name has failed. */
  end(): void {
    const { output } = this.#session;
    const counts = Object.fromEntries([...this.#counts, ['skipped', this.#skipped.size]]);
    const { failed = 0, ...others } = counts;
    const parts = Object.entries(others).flatMap(([did, count]) =>
      count > 0 ? [`${count} ${did === 'nothing' ? 'unchanged' : did}`] : [],
    );
    output.note(`${this.#isDry ? 'dry run: ' : ''}${parts.join(', ') || 'nothing to do'}`);
    if (failed === 0) return;
    throw new UserError(`${countText(failed, 'name')} failed; the same command tries them again`);
  }

  #changed(name: string, did: string, size: number | undefined): void {
    this.#count(did);
    if (did === 'nothing') return;
    const value = { did, name, ...(size !== undefined && { size }) };
    const text = `${did.padEnd(10)}  ${shown(name)}${size === undefined ? '' : `  ${sizeText(size)}`}`;
    this.#print(this.#isDry ? { ...value, dry_run: true } : value, text);
  }

  /** The signal of the session is aborted when the output cannot be written. */
  #print(value: unknown, text: string): void {
    this.#session.output.print(value, text).catch(() => undefined);
  }

  #count(did: string): void {
    this.#counts.set(did, (this.#counts.get(did) ?? 0) + 1);
  }
}
