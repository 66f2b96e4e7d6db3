/** What the writers and followers of a round share. */
import type { HistoryRecorder } from '../linearizability/recorder';
import type { SeededRandom } from '../simulation/machine/random';
import type { Effects } from '../simulation/oracles/effects';

/** What became of the writes of a bucket, as far as their writers know. */
export interface Outcomes {
  readonly writes: Parameters<Effects['written']>[0][];
  readonly commits: { readonly cursors: readonly number[]; readonly ifCursor?: number }[];
  readonly downloads: { readonly etag: string; readonly bytes: Buffer }[];
}

export class Bucket implements Outcomes {
  readonly writes: Outcomes['writes'] = [];
  readonly commits: Outcomes['commits'] = [];
  readonly downloads: Outcomes['downloads'] = [];
  /** Bytes of uploads in parts, by etag. */
  readonly uploads = new Map<string, Buffer>();
  /** A cursor that a client was given. */
  knownCursor = 0;

  constructor(readonly name: string) {}

  learnCursor(cursor: number): void {
    this.knownCursor = Math.max(this.knownCursor, cursor);
  }
}

export interface Setting {
  readonly name: string;
  /** Of the proxy. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly recorder: HistoryRecorder;
  readonly buckets: readonly Bucket[];
  /** That all writers change. */
  readonly keys: readonly string[];
  /** Whether writers begin nothing more, and followers live on. */
  readonly isEnding: boolean;
  /** Deaths of followers. */
  deaths: number;
  followerRequests: number;
  /** That one writer alone changes, by commits of many changes. */
  batchKeys(writer: string): readonly string[];
  random(actor: string): SeededRandom;
  folder(name: string): string;
  /** A writer knows the outcome of an operation, or that it is unknown. */
  count(kind: string, result: object): void;
}
