import { SHARDS } from '../../../adapters/dynamodb/change-log';
import type { ApiKeyRecord } from '../../../core/access/ports';
import type { ChangeEntry, Commit } from '../../../core/log/ports';
import type { RuledBucket } from '../../../core/store/buckets';
import { shownEntryOf } from '../../support/fakes/shown';
import { copy } from '../../support/fakes/state';
import type { SeededRandom } from '../machine/random';
import { CallError } from './call-error';
import { getInHalves, listInHalves } from './halved-reads';
import { CONTENDED, refusedByLimits } from './limited-calls';
import type { Simulation } from './simulation';

/**
 * The network between an environment and AWS: every call of a port takes time, and may fail as AWS
 * documents it. A call is made up to three times, as the clients of lambdas/runtime do.
 */

const ATTEMPTS = 3;
const RETRY_WAIT_MS = 50;
const THROTTLED_WAIT_MS = 1_000;

/** How long the caller waits for a response that does not come: lambdas/runtime/aws-clients.ts. */
const TIMEOUT_MS = [800, 3_000] as const;

/** Round trips, milliseconds: half of each before the effect. */
const LATENCY: Readonly<Record<string, readonly [number, number]>> = {
  blobs: [16, 60],
  partCopies: [30, 400],
  channels: [6, 30],
  deferredTasks: [6, 20],
  targetTasks: [10, 40],
};
const TABLE_LATENCY = [3, 12] as const;

/**
 * Calls whose repetition AWS recognizes by a token: TransactWriteItems with ClientRequestToken
 * (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html).
 * That of `commit` is a part of the port.
 */
const RECOGNIZED = new Set([
  'buckets.create',
  'buckets.remove',
  'buckets.setLifecycle',
  'uploads.create',
  'pendingCopies.begin',
  'consumers.put',
  'consumers.remove',
  'links.create',
  'keys.save',
]);

/** The environment that makes the calls. */
export interface Caller {
  readonly simulation: Simulation;
  readonly random: SeededRandom;
  /** What happens to every call of an operation until then. */
  outage: { readonly name: string; readonly fault: Fault; readonly until: number } | undefined;
  pause(milliseconds: number): Promise<void>;
}

type Method = (...parameters: never[]) => Promise<unknown>;

/** The port, reached by calls that take time and fail. */
export function throughNetwork<P extends object>(environment: Caller, port: string, fake: P): P {
  const cache = new Map<string, unknown>();
  return new Proxy(fake, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function' || typeof property !== 'string') return member;
      const known = cache.get(property);
      if (known !== undefined) return known;
      const method = member.bind(target) as Method;
      const call = (...parameters: never[]) =>
        repeated(environment, `${port}.${property}`, { port, parameters, method });
      const special = SEVERAL_CALLS[`${port}.${property}`];
      const reached = special ? special(environment, call) : call;
      cache.set(property, reached);
      return reached;
    },
  });
}

interface Call {
  readonly port: string;
  readonly parameters: never[];
  readonly method: Method;
}

async function repeated(environment: Caller, name: string, call: Call): Promise<unknown> {
  let made: Promise<unknown> | undefined;
  const apply = () => {
    if (made === undefined || !RECOGNIZED.has(name)) made = effect(environment, name, call);
    return made;
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOf(environment, { ...call, name, apply });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (attempt === ATTEMPTS || !error.isRetryable) return failed(name, error);
      const wait = error.isThrottling ? THROTTLED_WAIT_MS : RETRY_WAIT_MS;
      await environment.pause(environment.random.next() * wait * 2 ** (attempt - 1));
    }
  }
}

/** As the adapter of commits reports it. */
function failed(name: string, cause: CallError): unknown {
  if (name === 'commits.commit') return { result: 'unknown', cause };
  throw cause;
}

interface Attempt extends Call {
  readonly name: string;
  readonly apply: () => Promise<unknown>;
}

const CALL_FAULTS = [
  'refused',
  'throttled',
  'conflict',
  'request lost',
  'response lost',
  'effect late',
  'slow',
] as const;

/** What goes wrong with a call. */
export type Fault = (typeof CALL_FAULTS)[number];

/** A call with an outage fails in one of these ways, as do all that follow. */
const OUTAGES = ['refused', 'request lost', 'response lost', 'effect late'] as const;
const OUTAGE_MS = [2_000, 12_000] as const;

function faultOf(environment: Caller, name: string): Fault | undefined {
  const { random, simulation } = environment;
  const { now } = simulation.time;
  const drawn = simulation.faults.draw([...CALL_FAULTS, 'outage'], random);
  if (drawn === 'outage') {
    environment.outage = {
      name,
      fault: random.pick(OUTAGES),
      until: now + random.between(...OUTAGE_MS),
    };
  } else if (drawn !== undefined) {
    return drawn;
  }
  const { outage } = environment;
  if (outage?.name !== name || outage.until <= now || simulation.faults.isCalm) return undefined;
  return outage.fault;
}

async function attemptOf(environment: Caller, attempt: Attempt): Promise<unknown> {
  const { random, simulation } = environment;
  const { name, apply } = attempt;
  const [least, most] = LATENCY[attempt.port] ?? TABLE_LATENCY;
  const travel = () => environment.pause(random.between(least, most) / 2);
  const timeout = () => environment.pause(random.between(...TIMEOUT_MS));
  const fault = faultOf(environment, name);
  await travel();
  switch (fault) {
    case 'refused':
      await travel();
      throw new CallError('InternalServerError', 500);
    case 'throttled':
      await travel();
      throw new CallError('ThrottlingException', 400);
    case 'request lost':
      await timeout();
      throw new CallError('TimeoutError');
    case 'response lost':
      await apply();
      await timeout();
      throw new CallError('TimeoutError');
    case 'effect late':
      simulation.time.after(random.between(500, 8_000), () => void apply().catch(() => undefined));
      await timeout();
      throw new CallError('TimeoutError');
    case 'slow':
      await environment.pause(random.between(500, 2_500));
      break;
    case 'conflict':
      // The adapters repeat single writes that meet a transaction.
      if (name === 'commits.commit') {
        await travel();
        return CONTENDED;
      }
      await environment.pause(random.between(10, 400));
      break;
    case undefined:
  }
  const refused = simulation.limits && (await refusedByLimits(environment, attempt));
  const result = refused ?? (await apply());
  await travel();
  return result;
}

/** The call takes effect, and what follows from it begins. */
async function effect(environment: Caller, name: string, call: Call): Promise<unknown> {
  const { simulation } = environment;
  const { method, parameters } = call;
  const tokens = simulation.state.tokens.size;
  const [first] = parameters as unknown[];
  const before = name === 'changeLog.fill' ? entryAt(environment, parameters) : undefined;
  const pending = method(...parameters);
  // The fakes take effect before they return.
  const isNew = simulation.state.tokens.size > tokens;
  const result = await pending;
  if (name === 'commits.commit' && isNew) {
    recordCommit(environment, first as Commit);
  } else if (name === 'changeLog.fill' && before === undefined) {
    record(environment, String(first), result as ChangeEntry);
  } else if (name === 'buckets.setLifecycle' && result === 'set') {
    recordRules(environment, first as RuledBucket);
  } else if (name === 'keys.save' && result === true) {
    const { id, revision = 0 } = first as ApiKeyRecord;
    simulation.keySavedAt.set(id, simulation.time.now);
    simulation.onKey(id, revision === 0);
  } else if (name === 'deferredTasks.add') {
    for (const { task, dueAt } of simulation.state.deferredTasks.splice(0)) {
      simulation.onTask(JSON.stringify(task), dueAt - simulation.time.now);
    }
  } else if (name === 'targetTasks.send') {
    for (const task of simulation.state.targetTasks.splice(0)) simulation.onTargetTask(task);
  }
  return result;
}

function entryAt({ simulation }: Caller, parameters: readonly unknown[]) {
  const [bucketId, entry] = parameters as [string, ChangeEntry];
  return simulation.state.changesOf(bucketId).get(entry.cursor);
}

function recordCommit(environment: Caller, { bucketId, changes }: Commit): void {
  const entries = environment.simulation.state.changesOf(bucketId);
  for (const { object } of changes) {
    const entry = entries.get(object.cursor);
    if (entry) record(environment, bucketId, entry);
  }
}

function recordRules({ simulation }: Caller, { name, rules }: RuledBucket): void {
  const { history, state, time } = simulation;
  const bucket = state.buckets.get(name);
  if (bucket) history.of(bucket.id).rules.push({ rules, at: time.now });
}

function record({ simulation }: Caller, bucketId: string, entry: ChangeEntry): void {
  const { history, time, onEntry } = simulation;
  history.record(bucketId, entry, time.now);
  time.note(entry.cursor);
  for (const tell of onEntry) tell(entry.bucket, bucketId, entry.cursor);
}

type Several = (
  environment: Caller,
  call: (...parameters: never[]) => Promise<unknown>,
) => (...parameters: never[]) => Promise<unknown>;

/** Methods that are several calls, which do not read at one moment. */
const SEVERAL_CALLS: Readonly<Record<string, Several>> = {
  'changeLog.read': readShards,
  'changeLog.readShown':
    (environment) =>
    async (...parameters) =>
      (await readShards(environment)(...parameters)).map(shownEntryOf),
  'objects.list': (_, call) => listInHalves(call),
  'objects.listShown': (_, call) => listInHalves(call),
  'objects.getMany': (_, call) => getInHalves(call),
};

/** One Query for each shard of the log. */
function readShards(environment: Caller) {
  return async (...parameters: never[]) => {
    const [bucketId, after, to] = parameters as unknown as [string, number, number];
    const shards = Math.max(0, Math.min(to - after, SHARDS));
    const entries = await Promise.all(
      Array.from({ length: shards }, (_, index) => {
        const method = async () => shard(environment, bucketId, [after + 1 + index, to]);
        const range = [bucketId, after + 1 + index, to] as unknown as never[];
        const call = { port: 'changeLog', parameters: range, method };
        return repeated(environment, 'changeLog.readShard', call) as Promise<ChangeEntry[]>;
      }),
    );
    return entries.flat().sort((a, b) => a.cursor - b.cursor);
  };
}

function shard(
  { simulation }: Caller,
  bucketId: string,
  [from, to]: readonly [number, number],
): ChangeEntry[] {
  const stored = simulation.state.changesOf(bucketId);
  const entries: ChangeEntry[] = [];
  for (let cursor = from; cursor <= to; cursor += SHARDS) {
    const entry = stored.get(cursor);
    if (entry !== undefined) entries.push(copy(entry));
  }
  return entries;
}
