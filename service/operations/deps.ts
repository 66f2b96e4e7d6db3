import type { Caller } from '../../core/access/permissions';
import type { ApiKeys, Slots } from '../../core/access/ports';
import type { RateLimiterDeps } from '../../core/access/rate-limiter';
import type { BucketIds } from '../../core/buckets/bucket-ids';
import type { Subscriptions } from '../../core/channel/ports';
import type { Consumers } from '../../core/consumers/ports';
import type { Links } from '../../core/links/ports';
import type { CommitDeps } from '../../core/log/commit';
import type { ReadChangesDeps } from '../../core/log/cursor-reads';
import type { ChangeLog } from '../../core/log/ports';
import type { ServiceState } from '../../core/service-state';
import type { Blobs } from '../../core/store/blobs';
import type { Buckets } from '../../core/store/buckets';
import type { PendingCopies } from '../../core/store/copies';
import type { Objects } from '../../core/store/objects';
import type { Uploads } from '../../core/store/uploads';
import type { Ids, Log } from '../../core/system';
import type { Operation } from '../http/app';
import type { ResponseMode } from '../http/response';
import type { Resource, ResourceKind } from '../routes/routes';

/** An operation of the storage API on one kind of target, whose names are decoded and valid. */
export type StorageOperation<Kind extends ResourceKind> = Operation<
  Extract<Resource, { readonly kind: Kind }>,
  Caller
>;

/** Dependencies of reading an object. */
export interface ReadDeps {
  readonly bucketIds: BucketIds;
  readonly buckets: Pick<Buckets, 'get' | 'stats'>;
  readonly objects: Pick<Objects, 'get'>;
  readonly changeLog: Pick<ChangeLog, 'get'>;
  readonly blobs: Pick<Blobs, 'get' | 'presignGet'>;
  readonly clock: CommitDeps['clock'];
  readonly log: Log;
  readonly responseMode: ResponseMode;
}

/** Dependencies of the download function: reading, for callers with API keys. */
export interface DownloadDeps extends ReadDeps, Omit<RateLimiterDeps, 'clock'> {}

/** Dependencies of the changes function: pages of changes, for callers with API keys. */
export interface ChangesDeps extends Omit<RateLimiterDeps, 'clock'> {
  readonly buckets: ReadChangesDeps['buckets'];
  readonly changeLog: ReadChangesDeps['changeLog'];
  readonly slots: Slots;
  readonly clock: CommitDeps['clock'];
  readonly ids: Pick<Ids, 'ulid'>;
  /** Requests of the whole service that may wait at once. */
  readonly maxWaiting: number;
}

/** Dependencies of all operations together. */
export interface OperationDeps extends CommitDeps {
  readonly bucketIds: BucketIds;
  readonly buckets: Buckets;
  readonly objects: Objects;
  readonly changeLog: ChangeLog;
  readonly blobs: Omit<Blobs, 'list'>;
  readonly uploads: Uploads;
  readonly pendingCopies: Pick<PendingCopies, 'begin'>;
  readonly consumers: Consumers;
  readonly serviceState: ServiceState;
  readonly ids: Ids;
  readonly log: Log;
  readonly responseMode: ResponseMode;
  /** Absent where callers have no API key, to which a ticket belongs. */
  readonly tickets?: {
    readonly subscriptions: Pick<Subscriptions, 'addTicket'>;
    /** `wss://…`: the WebSocket API that a ticket opens. */
    readonly syncUrl: string;
  };
  /** Absent where callers have no API key, with which links and temporary keys end. */
  readonly linksAndKeys?: {
    readonly links: Pick<Links, 'create' | 'get' | 'list' | 'remove'>;
    readonly apiKeys: ApiKeys;
    /** `https://…/`: what the URL of a link begins with. */
    readonly baseUrl: string;
  };
}

/** Dependencies of the api function: every operation, for callers with API keys. */
export interface ApiDeps extends OperationDeps, Omit<RateLimiterDeps, 'clock'> {}
