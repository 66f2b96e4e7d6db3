/** Dependencies of the janitor's scheduled jobs: every store of the service. */
import type { ApiKeys } from '../access/ports';
import type { Consumers } from '../consumers/ports';
import type { ChangeLog, Commits } from '../log/ports';
import type { ServiceState } from '../service-state';
import type { Blobs } from '../store/blobs';
import type { Buckets } from '../store/buckets';
import type { Objects } from '../store/objects';
import type { Uploads } from '../store/uploads';
import type { Clock, Ids, Log, Meter } from '../system';

export interface JanitorDeps {
  readonly buckets: Buckets;
  readonly objects: Objects;
  readonly changeLog: ChangeLog;
  readonly commits: Commits;
  readonly consumers: Consumers;
  readonly uploads: Uploads;
  readonly apiKeys: ApiKeys;
  readonly blobs: Blobs;
  readonly serviceState: ServiceState;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Waits a random time that grows with the attempt (0, 1, 2 …). */
  readonly backoff: (attempt: number) => Promise<void>;
  /** How long entries of a change log are kept. */
  readonly retentionSeconds: number;
  readonly log: Log;
  readonly meter: Meter;
}
