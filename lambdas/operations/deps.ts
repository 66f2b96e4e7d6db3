import type { BucketIds } from '../../core/bucket-ids';
import type { CommitDeps } from '../../core/commit';
import type {
  Blobs,
  Buckets,
  ChangeLog,
  Ids,
  Log,
  Objects,
  ServiceState,
  Uploads,
} from '../../core/ports';
import type { RateLimiterDeps } from '../../core/rate-limiter';
import type { Subscriptions } from '../../core/sync/ports';
import type { ResponseMode } from '../http/carrier';

/** What reading an object takes. */
export interface ReadDeps {
  readonly bucketIds: BucketIds;
  readonly objects: Pick<Objects, 'get'>;
  readonly changeLog: Pick<ChangeLog, 'get'>;
  readonly blobs: Pick<Blobs, 'get' | 'presignGet'>;
  readonly clock: CommitDeps['clock'];
  readonly log: Log;
  readonly responseMode: ResponseMode;
}

/** What the download function has: reading, for API keys. */
export interface DownloadDeps extends ReadDeps, Omit<RateLimiterDeps, 'clock'> {}

/** What all operations together take. */
export interface OperationDeps extends CommitDeps {
  readonly bucketIds: BucketIds;
  readonly buckets: Buckets;
  readonly objects: Objects;
  readonly changeLog: ChangeLog;
  readonly blobs: Blobs;
  readonly uploads: Uploads;
  readonly serviceState: ServiceState;
  readonly ids: Ids;
  readonly log: Log;
  readonly responseMode: ResponseMode;
  /** Absent: there are no tickets, which belong to an API key. */
  readonly tickets?: {
    readonly subscriptions: Pick<Subscriptions, 'addTicket'>;
    /** `wss://…`: what a ticket is for. */
    readonly syncUrl: string;
  };
}

/** What the api function has: every operation, for API keys. */
export interface ApiDeps extends OperationDeps, Omit<RateLimiterDeps, 'clock'> {}
