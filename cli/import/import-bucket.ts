/** Copies the objects of a bucket of S3, or of a service with its interface, into a bucket here. */
import type { ObjectDescriptor, StowageClient } from '../../client/index';
import { StowageError } from '../../client/index';
import { contentOf } from '../sync/contents';
import { keyProblem } from '../sync/names';
import type { BucketPlace, Report, SyncOptions } from '../sync/options';
import { type Outcome, Reconciler, reportOutcome } from '../sync/reconciler';
import { SyncState } from '../sync/state';
import type { S3Source, SourceObject } from './s3-source';

const ATTEMPTS = 5;

/** Largest content of a single request. */
const INLINE_BYTES = 4 * 1024 ** 2;

export interface Import {
  readonly client: StowageClient;
  readonly source: S3Source;
  readonly destination: BucketPlace;
  readonly options: Omit<SyncOptions, 'delete' | 'isPruned'>;
  readonly report: Report;
}

/** Throws when a bucket cannot be listed, and throws the reason of the signal. */
export async function importBucket(work: Import): Promise<void> {
  const { source, destination, options, report } = work;
  const about = ['import', source.about, destination.bucket, destination.prefix].join('\n');
  const state = await SyncState.open(options.stateFile, about);
  try {
    const { mark } = state;
    if (mark !== undefined) report.note(`continues after ${mark}`);
    await importFrom(work, state, mark);
    // The next import begins at the first key and retries the failures.
    if (!options.dryRun) state.saveMark(undefined);
    report.inStep(undefined);
  } finally {
    await state.close();
  }
}

async function importFrom(
  { client, source, destination, options, report }: Import,
  state: SyncState,
  mark: string | undefined,
): Promise<void> {
  const { signal, parallel, dryRun } = options;
  const { bucket, prefix } = destination;
  const startAfter = mark === undefined ? {} : { startAfter: prefix + mark };
  const there = new Lookup(client.objects(bucket, { prefix, ...startAfter, signal }), prefix);
  let hasFailed = false;
  for await (const page of source.pages(mark)) {
    const pairs = new Map<string, readonly [SourceObject, ObjectDescriptor | undefined]>();
    for (const from of page) pairs.set(from.name, [from, await there.at(from.name)]);
    const reconciler = new Reconciler({
      ...{ parallel, signal, attempts: ATTEMPTS },
      settle: async (name): Promise<Outcome> => {
        const [from, to] = pairs.get(name) ?? [];
        if (!from || options.isExcluded(name)) return { did: 'nothing' };
        return importObject({ client, source, destination, options, report }, state, from, to);
      },
      done: (name, outcome) => reportOutcome(report, name, outcome),
      failed: (name, error) => {
        hasFailed = true;
        report.failed(name, error);
      },
    });
    reconciler.add(pairs.keys());
    await reconciler.settled();
    signal.throwIfAborted();
    const last = page.at(-1);
    if (last && !dryRun && !hasFailed) state.saveMark(last.name);
  }
}

async function importObject(
  { client, source, destination, options, report }: Import,
  state: SyncState,
  from: SourceObject,
  to: ObjectDescriptor | undefined,
): Promise<Outcome> {
  const { name, size } = from;
  const reason = problemOf(name, destination.prefix);
  if (reason !== undefined) return { did: 'skipped', reason };
  if (to && isSame(state, from, to, options.checksum)) return { did: 'nothing' };
  if (options.dryRun) return { did: 'imported', size };
  const { body, ...content } = await source.open(from, options.signal);
  const transfer = report.transfer(name, size);
  try {
    const bytes = size > INLINE_BYTES ? body : await bytesOf(body);
    const made = await client.upload(destination.bucket, destination.prefix + name, bytes, {
      ...content,
      ...(to ? { ifMatch: to.etag } : { ifNoneMatch: '*' }),
      onProgress: ({ sent }) => transfer.at(sent),
      signal: options.signal,
    });
    if (made.etag !== undefined) {
      const stored = contentOf(made as ObjectDescriptor);
      state.remember(name, { sign: signOf(from), content: stored, at: 0 });
    }
  } catch (error) {
    if (!(error instanceof StowageError && error.code === 'precondition_failed')) throw error;
    return {
      did: 'waits',
      reason: 'somebody else changed the object after it was listed: import again',
    };
  } finally {
    transfer.end();
  }
  return { did: 'imported', size };
}

function problemOf(name: string, prefix: string): string | undefined {
  if (name === '') return 'the name is empty';
  const isPath = name.split('/').some((segment) => segment === '.' || segment === '..');
  return isPath ? 'a part of the name is . or ..' : keyProblem(name, prefix);
}

function signOf({ etag, size }: SourceObject): string {
  return `${size} ${etag}`;
}

/** Compares size and time, where the state does not know the object. */
function isSame(
  state: SyncState,
  from: SourceObject,
  to: ObjectDescriptor,
  checksum: boolean,
): boolean {
  if (from.size !== to.size) return false;
  const known = state.known.get(from.name);
  if (known?.content === contentOf(to)) return known.sign === signOf(from);
  return from.etag === to.etag || (!checksum && Date.parse(to.updated_at) >= from.modifiedAt);
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Finds names in a list in byte order. Each name must follow the previous one. */
class Lookup {
  #next: ObjectDescriptor | undefined;
  #hasEnded = false;

  constructor(
    private readonly objects: AsyncGenerator<ObjectDescriptor, void, undefined>,
    private readonly prefix: string,
  ) {}

  async at(name: string): Promise<ObjectDescriptor | undefined> {
    const wanted = Buffer.from(this.prefix + name);
    while (!this.#hasEnded) {
      if (!this.#next) {
        const { value, done } = await this.objects.next();
        this.#next = value ?? undefined;
        this.#hasEnded = done === true;
        continue;
      }
      const order = Buffer.compare(Buffer.from(this.#next.key), wanted);
      if (order === 0) return this.#next;
      if (order > 0) return undefined;
      this.#next = undefined;
    }
    return undefined;
  }
}
