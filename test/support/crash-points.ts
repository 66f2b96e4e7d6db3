/**
 * Stops a function before and after every AWS call that an action makes, on the real adapters: once
 * as a killed process, which never continues, once as a lost connection, which continues with an
 * error.
 */
import { createApi } from '../../service/storage-api';
import { type Acknowledged, check, repair } from './invariants';
import { send, type TestResponse } from './requests';
import type { Service, ServiceDeps } from './service';

export type Fault = {
  readonly kind: 'killed' | 'disconnected';
  readonly when: 'before' | 'after';
};

export const FAULTS: readonly Fault[] = (['killed', 'disconnected'] as const).flatMap((kind) =>
  (['before', 'after'] as const).map((when) => ({ kind, when })),
);

/** A bucket of its own, and what was acknowledged in it. */
export interface CrashBucket {
  readonly name: string;
  readonly deps: ServiceDeps;
  readonly acks: Acknowledged[];
}

export interface Action {
  readonly prepare: (bucket: CrashBucket) => Promise<void>;
  /** Meets the fault. */
  readonly act: (writer: ServiceDeps, bucket: CrashBucket) => Promise<TestResponse | undefined>;
  /** Before everything is repaired and checked. */
  readonly after?: (bucket: CrashBucket) => Promise<void>;
}

let bucketCount = 0;

/** Saves what a successful response acknowledged. */
export function noteAck(acks: Acknowledged[], response: TestResponse): void {
  const { key, version, cursor, etag } = response.json<Acknowledged>();
  if (response.status < 300) acks.push({ key, version, cursor, ...(etag && { etag }) });
}

/**
 * Runs the action with the fault at call 1, 2, 3 … until it completes without the fault, each time
 * in a bucket of its own; repairs what the schedules would repair, and checks all invariants in
 * each bucket. Returns the number of calls.
 */
export async function everyPoint(
  service: Service,
  fault: Fault,
  { prepare, act, after }: Action,
): Promise<number> {
  const buckets: CrashBucket[] = [];
  for (let at = 1; ; at++) {
    const bucket = await newBucket(service);
    buckets.push(bucket);
    await prepare(bucket);
    const writer = faulty(service, fault, at);
    const acting = act(writer.deps, bucket).catch(() => undefined);
    const killed = fault.kind === 'killed' ? writer.hit : new Promise<never>(() => undefined);
    const end = await Promise.race([acting, killed]);
    if (end !== 'hit' && end !== undefined) noteAck(bucket.acks, end);
    await after?.(bucket);
    if (writer.calls() < at) break;
  }
  // Once for all points: each pass of the reconciler reads the blobs of all buckets.
  const names = buckets.map(({ name }) => name);
  await repair(janitorOf(service.open()), names);
  for (const { deps, name, acks } of buckets) await check(deps, name, acks);
  return buckets.length - 1;
}

async function newBucket(service: Service): Promise<CrashBucket> {
  const name = `photos-${++bucketCount}`;
  const deps = service.open();
  await send(createApi(deps), { method: 'POST', path: '/buckets', body: JSON.stringify({ name }) });
  return { name, deps, acks: [] };
}

/** The dependencies of a writer whose call number `at` meets the fault. */
function faulty(service: Service, { kind, when }: Fault, at: number) {
  let calls = 0;
  let struck: (value: 'hit') => void = () => undefined;
  const hit = new Promise<'hit'>((resolve) => {
    struck = resolve;
  });
  const deps = service.open({
    watch: async (_call, moment) => {
      if (moment === 'before') calls += 1;
      if (calls < at || (calls === at && moment !== when)) return;
      if (kind === 'disconnected' && calls > at) return;
      struck('hit');
      if (kind === 'killed') await new Promise(() => undefined);
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
    },
  });
  return { deps, hit, calls: () => calls };
}

function janitorOf(deps: ServiceDeps): ServiceDeps {
  const clock = { now: () => Date.now() + 2 * 86_400_000, sleep: async () => undefined };
  return { ...deps, clock };
}
