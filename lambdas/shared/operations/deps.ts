import type { RateLimiterDeps } from '../../../core/access/rate-limiter';
import type { Subscriptions } from '../../../core/channel/ports';
import type { CommitDeps } from '../../../core/log/commit';
import type { ChangeLog } from '../../../core/log/ports';
import type { ServiceState } from '../../../core/maintenance/ports';
import type { Blobs } from '../../../core/objects/blob-ports';
import type { BucketIds } from '../../../core/objects/bucket-ids';
import type { Buckets, Objects, Uploads } from '../../../core/objects/ports';
import type { Ids, Log } from '../../../core/system';
import type { ResponseMode } from '../http/response-transport';

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
