/** A client that reads, and checks every response. */
import type { Seen } from '../oracles/linearizable';
import { checkEarlierList, checkList } from '../oracles/listed';
import { Actor } from './actor';
import { isRefused } from './requester';
import type { Bucket } from './setting';

export abstract class Reader extends Actor {
  protected async read(kind: 'describe' | 'get', bucket: Bucket, key: string): Promise<void> {
    const floor = bucket.linearizable.floor(key);
    const result = await this.resolved(() =>
      kind === 'describe' ? this.client.describe(bucket.name, key) : this.download(bucket, key),
    );
    if ('value' in result) {
      bucket.linearizable.read(key, result.value, floor);
      this.etags.set(key, result.value.etag);
    } else if (isRefused(result, 'not_found')) {
      bucket.linearizable.read(key, undefined, floor);
    }
  }

  /** The object by its content and headers. */
  protected async download(bucket: Bucket, key: string): Promise<Required<Seen>> {
    const response = await this.client.get(bucket.name, key);
    const seen = seenIn(key, response);
    bucket.effects.read(seen.etag, await response.text());
    return seen;
  }

  /** A part of an object: one that may end, or even begin, behind the object's end. */
  protected async readRange(bucket: Bucket, key: string): Promise<void> {
    const floor = bucket.linearizable.floor(key);
    const from = this.random.between(0, 40);
    const range = this.random.chance(0.3)
      ? { from }
      : { from, to: from + this.random.between(0, 40) };
    const result = await this.resolved(async () => {
      const response = await this.client.get(bucket.name, key, { range });
      const about = response.headers.get('content-range') ?? '';
      return { ...seenIn(key, response), about, part: await response.text() };
    });
    if ('value' in result) {
      const { about, part, etag } = result.value;
      bucket.linearizable.read(key, result.value, floor);
      bucket.effects.readRange(etag, { ...range, about, part });
    } else if (isRefused(result, 'not_found')) {
      bucket.linearizable.read(key, undefined, floor);
    } else if (isRefused(result, 'range_not_satisfiable') && 'refusal' in result) {
      bucket.effects.refusedRange(from, result.refusal.details?.size);
    }
  }

  protected async list(bucket: Bucket): Promise<void> {
    const { simulation } = this.setting;
    const prefix = this.random.pick(['', ...this.setting.prefixes]);
    const from = simulation.time.now;
    const result = await this.resolved(() =>
      this.client.list(bucket.name, { prefix, limit: 1000 }),
    );
    if (!('value' in result)) return;
    const { objects, cursor } = result.value;
    const list = { objects, cursor, prefix, from, until: simulation.time.now };
    checkList(bucket.history, simulation.anomalies, list);
    bucket.learnCursor(cursor);
  }

  protected async earlierList(bucket: Bucket): Promise<void> {
    const { simulation } = this.setting;
    const prefix = this.random.pick(['', ...this.setting.prefixes]);
    const asOf = this.random.between(0, bucket.knownCursor);
    const result = await this.resolved(() =>
      this.client.list(bucket.name, { prefix, asOf, limit: 1000 }),
    );
    if (!('value' in result)) return;
    const { objects } = result.value;
    checkEarlierList(bucket.history, simulation.anomalies, {
      ...{ objects, asOf },
      isShown: (key) => key.startsWith(prefix),
    });
  }

  protected async earlierObject(bucket: Bucket, key: string): Promise<void> {
    const asOf = this.random.between(0, bucket.knownCursor);
    const result = await this.resolved(() => this.client.describe(bucket.name, key, { asOf }));
    const objects = 'value' in result ? [result.value] : [];
    if ('value' in result || isRefused(result, 'not_found')) {
      const { anomalies } = this.setting.simulation;
      const earlier = { objects, asOf, isShown: (one: string) => one === key };
      checkEarlierList(bucket.history, anomalies, earlier);
    }
  }

  protected async versions(bucket: Bucket, key: string): Promise<void> {
    const result = await this.resolved(() => this.client.versions(bucket.name, key));
    if (!('value' in result)) return;
    for (const { cursor, version, type } of result.value.versions) {
      const entry = bucket.history.entry(cursor);
      const isSame =
        entry?.type === type && entry.object.key === key && entry.object.version === version;
      this.setting.simulation.anomalies.require(
        'a version is what was written',
        isSame,
        () => `${key}: version ${version} is at ${cursor}`,
      );
    }
  }
}

/** What the headers of a download say about its object. */
function seenIn(key: string, { headers }: Response): Required<Seen> {
  const etag = (headers.get('etag') ?? '').replaceAll('"', '');
  const version = Number(headers.get('x-object-version'));
  return { key, etag, version, cursor: Number(headers.get('x-object-cursor')) };
}
