/**
 * Random histories of concurrent writers. Each writer may crash before or after any operation, or
 * lose its connection at the commit, in every interleaving that the scheduler draws. The last tests
 * break one rule of the protocol at a time and show that the property fails.
 */
import fc from 'fast-check';
import { BucketIds } from '../../../core/buckets/bucket-ids';
import { ServiceError } from '../../../core/errors';
import { requireConditions } from '../../../core/http/conditions';
import { sha256Base64 } from '../../../core/http/digests';
import type { ChangeEntry, Commits } from '../../../core/log/ports';
import { readRun } from '../../../core/log/reader';
import { deleteObject, putObject, type WriteDeps } from '../../../core/objects/objects';
import { createFakes, type Fakes } from '../../support/fakes/fakes';
import { ConnectionLost } from '../../support/fakes/interleaved';
import { waitIdle } from '../../support/fakes/wait-idle';
import { type Acknowledged, repairAndCheck } from '../../support/invariants';

interface Step {
  readonly kind: 'put' | 'create' | 'replace' | 'delete';
  readonly key: string;
}

interface Writer {
  readonly steps: readonly Step[];
  /** At the n-th operation: crash, or lose the connection. */
  readonly fault?: {
    readonly at: number;
    readonly when: 'before' | 'after';
    readonly kind: 'crash' | 'lost';
  };
}

interface Outcome {
  readonly step: Step;
  readonly result: 'acknowledged' | 'refused' | 'unknown';
  readonly ack?: Acknowledged;
  readonly created?: boolean;
  /** Cursors of the key's record when the request began and ended: what it may have seen. */
  readonly window: readonly [number, number];
}

const step = fc.record<Step>({
  kind: fc.constantFrom('put', 'put', 'create', 'replace', 'delete'),
  key: fc.constantFrom('a', 'a', 'b'),
});
const writer: fc.Arbitrary<Writer> = fc.record(
  {
    steps: fc.array(step, { minLength: 1, maxLength: 3 }),
    fault: fc.record({
      at: fc.nat(12),
      when: fc.constantFrom<'before' | 'after'>('before', 'after'),
      kind: fc.constantFrom<'crash' | 'lost'>('crash', 'lost'),
    }),
  },
  { requiredKeys: ['steps'] },
);

const BUCKET = 'photos';
type Variant = (commits: Commits, world: Fakes) => Commits;

async function run(s: fc.Scheduler, writers: readonly Writer[], variant?: Variant): Promise<void> {
  const world = createFakes();
  const bucket = {
    name: BUCKET,
    id: world.ids.bucketId(),
    cursor: 0,
    createdAt: world.clock.iso(),
  };
  await world.buckets.create(bucket);
  const head = async () => (await world.buckets.get(BUCKET))?.cursor ?? 0;
  const seen = (key: string) => world.state.objectsOf(bucket.id).get(key)?.cursor ?? 0;
  const outcomes: Outcome[] = [];
  for (const [n, { steps, fault }] of writers.entries()) {
    void write(n, steps, fault);
  }
  // Readers that fill gaps at any time, also while every writer is alive. The entries that they
  // read must not change.
  const entriesRead: ChangeEntry[] = [];
  for (let reader = 0; reader < 3; reader++) {
    void s.schedule(Promise.resolve()).then(async () => {
      entriesRead.push(
        ...(await readRun(world, bucket, { after: 0, to: await head(), fillAllGaps: true }))
          .entries,
      );
    });
  }
  await waitIdle(s);
  const janitor = {
    ...world,
    backoff: async () => undefined,
    retentionSeconds: 7 * 86_400,
    clock: { now: () => world.clock.now() + 2 * 86_400_000, sleep: async () => undefined },
  };
  const acks = outcomes.flatMap(({ ack }) => (ack ? [ack] : []));
  const log = await repairAndCheck(world, janitor, BUCKET, acks);
  checkAgainstModel(log, outcomes);
  for (const entry of entriesRead) expect(log[entry.cursor - 1]).toEqual(entry);

  async function write(n: number, steps: readonly Step[], fault: Writer['fault']): Promise<void> {
    let operations = 0;
    let dead = false;
    const fakes = createFakes({
      ...world,
      yieldPoint: async ({ when, operation }) => {
        if (when === 'before') operations += 1;
        await s.schedule(Promise.resolve());
        if (dead) await new Promise(() => undefined);
        if (fault?.at !== operations || fault.when !== when) return;
        if (fault.kind === 'lost' && operation === 'commit') throw new ConnectionLost();
        if (fault.kind === 'crash') {
          dead = true;
          await new Promise(() => undefined);
        }
      },
    });
    const deps: WriteDeps = {
      ...fakes,
      commits: variant ? variant(fakes.commits, world) : fakes.commits,
      bucketIds: new BucketIds(fakes.buckets),
      backoff: async () => undefined,
    };
    for (const [i, one] of steps.entries()) {
      outcomes.push(await request(deps, one, Buffer.from(`${n}.${i}`)));
    }
  }

  async function request(deps: WriteDeps, one: Step, body: Buffer): Promise<Outcome> {
    const from = seen(one.key);
    const headers: Record<string, string> =
      one.kind === 'create'
        ? { 'if-none-match': '*' }
        : one.kind === 'replace'
          ? { 'if-match': '*' }
          : {};
    const options = {
      conditional: Object.keys(headers).length > 0,
      conditions: (current: Parameters<typeof requireConditions>[1]) =>
        requireConditions((name) => headers[name], current, true),
    };
    const content = {
      body,
      contentType: 'a/b',
      headers: {},
      metadata: {},
      checksumSha256: sha256Base64(body),
    };
    try {
      const outcome =
        one.kind === 'delete'
          ? await deleteObject(deps, { bucket: BUCKET, key: one.key }, options)
          : await putObject(deps, { bucket: BUCKET, key: one.key }, content, options);
      if (outcome.result !== 'committed') throw new Error(outcome.result);
      const { object, previous } = outcome;
      const ack = {
        key: object.key,
        version: object.version,
        cursor: object.cursor,
        ...(object.state === 'live' && { etag: object.etag }),
      };
      return {
        step: one,
        result: 'acknowledged',
        ack,
        created: previous?.state !== 'live',
        window: [from, seen(one.key)],
      };
    } catch (error) {
      const known = error instanceof ServiceError && error.code !== 'unavailable';
      return { step: one, result: known ? 'refused' : 'unknown', window: [from, seen(one.key)] };
    }
  }
}

/** Checks that the log, in order, is a history of a map, and that every outcome agrees with it. */
function checkAgainstModel(log: readonly ChangeEntry[], outcomes: readonly Outcome[]): void {
  const states: Map<string, boolean>[] = [new Map()];
  for (const entry of log) {
    const next = new Map(states.at(-1));
    if (entry.type !== 'noop') next.set(entry.object.key, entry.object.state === 'live');
    states.push(next);
  }
  for (const { step: one, result, ack, created, window } of outcomes) {
    const { key } = one;
    if (result === 'acknowledged' && ack) {
      const existed = states[ack.cursor - 1]?.get(key) ?? false;
      expect(existed).toBe(
        one.kind === 'replace' || one.kind === 'delete' || (one.kind === 'put' && existed),
      );
      if (one.kind !== 'delete') expect(created).toBe(!existed);
      expect(ack.cursor).toBeGreaterThan(window[0]);
    }
    if (result === 'refused') {
      const seen = states.slice(window[0], window[1] + 1).map((state) => state.get(key) ?? false);
      expect(seen).toContain(one.kind === 'create');
    }
  }
}

test('writers keep the invariants in every interleaving and after every crash', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(writer, { minLength: 1, maxLength: 5 }),
      (s, writers) => run(s, writers),
    ),
    { numRuns: 400 },
  );
});

/** Whether the property fails under a broken rule within as many runs as above. */
async function fails(variant: Variant): Promise<boolean> {
  const result = await fc.check(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(writer, { minLength: 2, maxLength: 5 }),
      (s, writers) => run(s, writers, variant),
    ),
    { numRuns: 400, endOnFailure: true },
  );
  return result.failed;
}

test('the property fails when a commit overwrites a no-op entry', async () => {
  const overwrite: Variant = (commits, world) => ({
    allocate: (bucket) => commits.allocate(bucket),
    commit: (change) => {
      const entries = world.state.changesOf(change.bucketId);
      for (const { object } of change.changes) entries.delete(object.cursor);
      return commits.commit(change);
    },
  });
  expect(await fails(overwrite)).toBe(true);
});

test('the property fails when a commit does not check whether the record changed', async () => {
  const blind: Variant = (commits, world) => ({
    allocate: (bucket) => commits.allocate(bucket),
    commit: (change) =>
      commits.commit({
        ...change,
        changes: change.changes.map((one) => ({
          ...one,
          previous: world.state.objectsOf(change.bucketId).get(one.object.key),
        })),
      }),
  });
  expect(await fails(blind)).toBe(true);
});

test('readRun stops at a cursor without an entry when it may not fill the gap', async () => {
  const world = createFakes();
  await world.buckets.create({
    name: BUCKET,
    id: 'b00000000001',
    cursor: 0,
    createdAt: world.clock.iso(),
  });
  await world.commits.allocate({ name: BUCKET, id: 'b00000000001' });
  const run = await readRun(world, { name: BUCKET, id: 'b00000000001' }, { after: 0, to: 1 });
  expect(run).toEqual({ entries: [], gap: 1 });
});
