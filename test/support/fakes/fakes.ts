import type {
  ApiKeys,
  Blobs,
  Buckets,
  ChangeLog,
  Commits,
  Objects,
  ServiceState,
  Uploads,
} from '../../../core/ports';
import { FakeClock, FakeIds } from './clock';
import { FakeApiKeys } from './fake-api-keys';
import { FakeBlobs } from './fake-blobs';
import { FakeBuckets } from './fake-buckets';
import { FakeChangeLog } from './fake-change-log';
import { FakeCommits } from './fake-commits';
import { FakeLog } from './fake-log';
import { FakeObjects } from './fake-objects';
import { FakeS3 } from './fake-s3';
import { FakeServiceState } from './fake-service-state';
import { FakeUploads } from './fake-uploads';
import { interleaved, type YieldPoint } from './interleaved';
import { FakeState } from './state';

export interface Fakes {
  readonly buckets: Buckets;
  readonly objects: Objects;
  readonly changeLog: ChangeLog;
  readonly uploads: Uploads;
  readonly commits: Commits;
  readonly blobs: Blobs;
  readonly apiKeys: ApiKeys;
  readonly serviceState: ServiceState;
  readonly clock: FakeClock;
  readonly ids: FakeIds;
  readonly log: FakeLog;
  /** Plays S3 towards a client that was given a presigned URL. */
  readonly s3: FakeS3;
  /** The stored content, for assertions and for set-ups that no port can make. */
  readonly state: FakeState;
}

/**
 * All ports over one state in memory. Pass the `state`, `clock` and `ids` of other fakes for what another process,
 * or the next one after a crash, sees.
 */
export function createFakes(
  options: {
    readonly yieldPoint?: YieldPoint;
    readonly state?: FakeState;
    readonly clock?: FakeClock;
    readonly ids?: FakeIds;
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
    commits: port('commits', new FakeCommits(state)),
    blobs: port('blobs', new FakeBlobs(state, clock, ids)),
    apiKeys: port('apiKeys', new FakeApiKeys(state)),
    serviceState: port('serviceState', new FakeServiceState(state)),
    clock,
    ids,
    log: new FakeLog(),
    s3: new FakeS3(state, clock),
    state,
  };
}
