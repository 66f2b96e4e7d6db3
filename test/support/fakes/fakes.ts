import type { ApiKeys, AuditLog, KeyStore, Rates, Slots } from '../../../core/access/ports';
import type { Channels, DeferredTasks, Subscriptions } from '../../../core/channel/ports';
import type { Consumers } from '../../../core/consumers/ports';
import { DEFAULT_RATES, type RateTiers } from '../../../core/limits';
import type { Links } from '../../../core/links/ports';
import type { ChangeLog, Commits } from '../../../core/log/ports';
import type { Restoring } from '../../../core/maintenance/recovery/ports';
import type { ServiceState } from '../../../core/service-state';
import type { Blobs } from '../../../core/store/blobs';
import type { Buckets } from '../../../core/store/buckets';
import type { PartCopies, PendingCopies } from '../../../core/store/copies';
import type { Objects } from '../../../core/store/objects';
import type { Uploads } from '../../../core/store/uploads';
import type { TargetCursors, TargetTasks } from '../../../core/targets/ports';
import { FakeApiKeys } from './access/fake-api-keys';
import { FakeAuditLog, FakeKeyStore } from './access/fake-key-store';
import { FakeRates } from './access/fake-rates';
import { FakeSlots } from './access/fake-slots';
import { FakeChannels, FakeGateway, type Network } from './channel/fake-channels';
import { FakeDeferredTasks, FakeQueue } from './channel/fake-deferred-tasks';
import { FakeSubscriptions } from './channel/fake-subscriptions';
import { FakeClock, FakeIds } from './clock';
import { FakeConsumers } from './consumers/fake-consumers';
import { FakeLog } from './fake-log';
import { FakeMeter } from './fake-meter';
import { interleaved, type YieldPoint } from './interleaved';
import { FakeLinks } from './links/fake-links';
import { FakeChangeLog } from './log/fake-change-log';
import { FakeCommits } from './log/fake-commits';
import { FakeRestoring } from './maintenance/fake-restoring';
import { FakeServiceState } from './maintenance/fake-service-state';
import { FakeBlobs } from './objects/fake-blobs';
import { FakeBuckets } from './objects/fake-buckets';
import { FakeObjects } from './objects/fake-objects';
import { FakePartCopies } from './objects/fake-part-copies';
import { FakePendingCopies } from './objects/fake-pending-copies';
import { FakeS3 } from './objects/fake-s3';
import { FakeUploads } from './objects/fake-uploads';
import { FakeState } from './state';
import { FakeTargetCursors } from './targets/fake-target-cursors';
import { FakeTargetTasks } from './targets/fake-target-tasks';

export interface Fakes {
  readonly buckets: Buckets;
  readonly objects: Objects;
  readonly changeLog: ChangeLog;
  readonly uploads: Uploads;
  readonly pendingCopies: PendingCopies;
  readonly partCopies: PartCopies;
  readonly commits: Commits;
  readonly blobs: Blobs;
  readonly apiKeys: ApiKeys;
  readonly keys: KeyStore;
  readonly audit: AuditLog;
  readonly rates: Rates;
  readonly rateTiers: RateTiers;
  readonly slots: Slots;
  readonly serviceState: ServiceState;
  readonly restoring: Restoring;
  readonly subscriptions: Subscriptions;
  readonly consumers: Consumers;
  readonly links: Links;
  readonly channels: Channels;
  readonly deferredTasks: DeferredTasks;
  readonly targetCursors: TargetCursors;
  readonly targetTasks: TargetTasks;
  readonly clock: FakeClock;
  readonly ids: FakeIds;
  readonly log: FakeLog;
  readonly meter: FakeMeter;
  /** Plays S3 towards a client that was given a presigned URL. */
  readonly s3: FakeS3;
  /** Plays API Gateway and its clients: opens connections and listens to them. */
  readonly gateway: FakeGateway;
  /** Acts as SQS for the consumer of the deferred tasks. */
  readonly queue: FakeQueue;
  /** The stored content, for assertions and for set-ups that no port can make. */
  readonly state: FakeState;
}

/**
 * All ports over one state in memory. Pass the `state`, `clock` and `ids` of other fakes for what
 * another process, or the next one after a crash, sees.
 */
export function createFakes(
  options: {
    readonly yieldPoint?: YieldPoint;
    readonly state?: FakeState;
    readonly clock?: FakeClock;
    readonly ids?: FakeIds;
    /** Between the gateway and its clients; by default every message arrives at once. */
    readonly network?: Network;
  } = {},
): Fakes {
  const { state = new FakeState(), clock = new FakeClock(), yieldPoint } = options;
  const { ids = new FakeIds(clock) } = options;
  const port = <P extends object>(name: string, fake: P): P =>
    yieldPoint === undefined ? fake : interleaved(name, fake, yieldPoint);
  return {
    buckets: port('buckets', new FakeBuckets(state)),
    objects: port('objects', new FakeObjects(state)),
    changeLog: port('changeLog', new FakeChangeLog(state)),
    uploads: port('uploads', new FakeUploads(state, clock)),
    partCopies: port('partCopies', new FakePartCopies(state, clock)),
    pendingCopies: port('pendingCopies', new FakePendingCopies(state, clock)),
    commits: port('commits', new FakeCommits(state)),
    blobs: port('blobs', new FakeBlobs(state, clock, ids)),
    apiKeys: port('apiKeys', new FakeApiKeys(state)),
    keys: port('keys', new FakeKeyStore(state)),
    audit: port('audit', new FakeAuditLog(state)),
    rates: port('rates', new FakeRates(state)),
    rateTiers: { default: DEFAULT_RATES },
    slots: port('slots', new FakeSlots(state)),
    serviceState: port('serviceState', new FakeServiceState(state)),
    restoring: port('restoring', new FakeRestoring(state)),
    subscriptions: port('subscriptions', new FakeSubscriptions(state)),
    consumers: port('consumers', new FakeConsumers(state, clock)),
    links: port('links', new FakeLinks(state, clock)),
    channels: port('channels', new FakeChannels(state)),
    deferredTasks: port('deferredTasks', new FakeDeferredTasks(state, clock)),
    targetCursors: port('targetCursors', new FakeTargetCursors(state)),
    targetTasks: port('targetTasks', new FakeTargetTasks(state)),
    clock,
    ids,
    log: new FakeLog(),
    meter: new FakeMeter(),
    s3: new FakeS3(state, clock),
    gateway: new FakeGateway(state, options.network),
    queue: new FakeQueue(state, clock),
    state,
  };
}
