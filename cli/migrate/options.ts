/** What the parts of a migration share: services, options, progress, and its report. */
import type { Service } from './services';
import type { MigrationState } from './state';
import type { Transfers } from './transfer';

export interface MigrationReport {
  readonly copied: (bucket: string, count: number, cursor: number) => Promise<void>;
  readonly caughtUp: (cursors: Readonly<Record<string, number>>, at: string) => Promise<void>;
  readonly differs: (bucket: string, key: string, reason: string) => Promise<void>;
  readonly verified: (bucket: string, count: number, cursor: number) => Promise<void>;
  readonly failed: (key: string, error: unknown) => void;
  /** For people. */
  readonly note: (text: string) => void;
}

export interface Migration {
  readonly source: Service;
  readonly target: Service;
  readonly transfers: Transfers;
  readonly state: MigrationState;
  readonly report: MigrationReport;
  readonly signal: AbortSignal;
  readonly options: {
    /** Empty for all of the source. */
    readonly buckets: readonly string[];
    readonly once: boolean;
    readonly intoExisting: boolean;
    readonly parallel: number;
    readonly intervalMs: number;
  };
  /** The buckets whose changes are applied. */
  readonly following: Set<string>;
}
