/** `stowage sync` within the process of a test. */

import type { Report, SyncOptions } from '../../../cli/sync/options';
import { placeOf } from '../../../cli/sync/sync-command';

/** As on the command line. */
export type Place = string;

export function placesOf(source: Place, destination: Place) {
  return { source: placeOf(source), destination: placeOf(destination) };
}

export function syncOptions(stateFile: string): SyncOptions {
  return {
    ...{ delete: false, dryRun: false, checksum: false, parallel: 4, stateFile },
    isExcluded: () => false,
    isPruned: () => false,
    signal: new AbortController().signal,
  };
}

/** What a sync has reported, by name. */
export class TestReport implements Report {
  readonly did: Record<string, string> = {};
  readonly failures: Record<string, string> = {};
  readonly skips: Record<string, string> = {};

  readonly changed = (name: string, did: string) => {
    if (did !== 'nothing') this.did[name] = did;
  };
  readonly skipped = (name: string, reason: string) => {
    this.skips[name] = reason;
  };
  readonly failed = (name: string, error: unknown) => {
    this.failures[name] = error instanceof Error ? error.message : String(error);
  };
  readonly transfer = () => ({ at: () => undefined, end: () => undefined });
  readonly inStep = () => undefined;
  readonly note = () => undefined;
}
