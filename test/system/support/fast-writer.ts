/** Commits changes with the service's own code and without blobs: faster than over the REST API. */
import { ServiceError } from '../../../core/errors';
import { type CommitPosition, commitChange } from '../../../core/log/commit';
import { liveRecord } from '../../../core/objects/objects';
import type { ObjectRecord } from '../../../core/store/objects';
import { inParallel } from './client';
import type { openStores } from './local-service';

const WIDTH = 32;

export interface FastWrites {
  readonly bucket: string;
  readonly prefix: string;
  readonly count: number;
  /** Characters of metadata in each object. */
  readonly padding?: number;
}

/** Puts the new keys `{prefix}0`, `{prefix}1`, …, several at once. */
export async function commitMany(
  stores: ReturnType<typeof openStores>,
  { bucket: name, prefix, count, padding = 0 }: FastWrites,
): Promise<void> {
  const bucket = await stores.buckets.get(name);
  if (!bucket) throw new Error(`no bucket ${name}`);
  const deps = { ...stores, clock: { now: () => Date.now(), sleep: async () => undefined } };
  const content = {
    etag: 'd41d8cd98f00b204e9800998ecf8427e',
    size: 0,
    contentType: 'text/plain',
    headers: {},
    metadata: Object.fromEntries(padding > 0 ? [['padding', 'x'.repeat(padding)]] : []),
  };
  await inParallel(WIDTH, count, async (n) => {
    const key = `${prefix}${n}`;
    const blob = `objects/none/${key}`;
    const intent = {
      bucket,
      key,
      check: () => undefined,
      build: (place: CommitPosition, before: ObjectRecord | undefined) =>
        liveRecord({ bucket, key, blob, ...content }, place, before),
    };
    const { result } = await repeatWhileUnavailable(() => commitChange(deps, intent, undefined));
    if (result !== 'committed') throw new Error(`${key} was not committed: ${result}`);
  });
}

/** As clients do: on a busy machine a commit may lose its races until its time is over. */
async function repeatWhileUnavailable<T>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'unavailable')) throw error;
    }
  }
}
