/** A client that writes and reads, one request at a time, and checks every response. */
import { createHash } from 'node:crypto';
import type { Commit } from '../../../client';
import type { CommitChange } from '../../../client/commits';
import { Reader } from './reader';
import { isRefused } from './requester';
import type { Bucket } from './setting';

/** How often an operation is weighed among others. */
const WEIGHTS = {
  put: 30,
  delete: 10,
  commit: 12,
  copy: 4,
  move: 4,
  patch: 4,
  signedPut: 3,
  restore: 1,
  removeAll: 1,
  describe: 16,
  get: 6,
  range: 3,
  list: 4,
  earlierList: 4,
  earlierObject: 3,
  versions: 3,
};
type Kind = keyof typeof WEIGHTS;

export const WRITER_OPERATIONS: readonly string[] = Object.keys(WEIGHTS);

const KINDS = Object.entries(WEIGHTS).flatMap(([kind, weight]) =>
  Array.from({ length: weight }, () => kind as Kind),
);

/** Some objects expire so soon. */
const EXPIRES_MS = 10 * 60_000;

/** How often a client asks what became of an upload. */
const UPLOAD_POLLS = 8;

export class Writer extends Reader {
  protected override draw(): () => Promise<void> {
    const { setting, random } = this;
    const kind = random.pick(KINDS);
    const bucket = random.pick(setting.buckets);
    const key = random.pick(setting.keys);
    return () => {
      setting.count(kind);
      return this.perform(kind, bucket, key);
    };
  }

  private perform(kind: Kind, bucket: Bucket, key: string): Promise<void> {
    switch (kind) {
      case 'put':
        return this.put(bucket, key);
      case 'delete':
        return this.delete(bucket, key);
      case 'commit':
        return this.commit(bucket);
      case 'copy':
      case 'move':
      case 'patch':
        return this.change(kind, bucket, key);
      case 'signedPut':
        return this.signedPut(bucket, key);
      case 'restore':
        return this.restore(bucket);
      case 'removeAll':
        return this.removeAll(bucket, key);
      case 'describe':
      case 'get':
        return this.read(kind, bucket, key);
      case 'range':
        return this.readRange(bucket, key);
      case 'list':
        return this.list(bucket);
      case 'earlierList':
        return this.earlierList(bucket);
      case 'earlierObject':
        return this.earlierObject(bucket, key);
      case 'versions':
        return this.versions(bucket, key);
    }
  }

  /** Different in every operation, so that an etag tells which one has written it. */
  private content(part = ''): string {
    return `${this.id}${part} ${'x'.repeat(this.random.between(0, 60))}`;
  }

  private conditions(key: string): { ifMatch?: string; ifNoneMatch?: '*' } {
    const etag = this.etags.get(key);
    const number = this.random.next();
    if (number < 0.15) return { ifNoneMatch: '*' };
    return number < 0.3 && etag !== undefined ? { ifMatch: etag } : {};
  }

  private async put(bucket: Bucket, key: string): Promise<void> {
    const content = this.content();
    const floor = bucket.linearizable.floor(key);
    const expiresAt = new Date(this.setting.simulation.time.now + EXPIRES_MS).toISOString();
    const options = {
      ...{ ...this.conditions(key), metadata: { op: this.id } },
      ...(this.random.chance(0.1) && { expiresAt }),
    };
    const result = await this.resolved(() =>
      this.client.put(bucket.name, key, content, { ...options, idempotencyKey: this.id }),
    );
    this.written(bucket, [content], result);
    if ('value' in result) this.acknowledge(bucket, [result.value], [floor]);
  }

  private async delete(bucket: Bucket, key: string): Promise<void> {
    const floor = bucket.linearizable.floor(key);
    const { ifMatch } = this.conditions(key);
    const options = { ...(ifMatch !== undefined && { ifMatch }), idempotencyKey: this.id };
    const result = await this.resolved(() => this.client.delete(bucket.name, key, options));
    if ('value' in result) this.acknowledge(bucket, [result.value], [floor]);
    else if (isRefused(result, 'not_found')) bucket.linearizable.read(key, undefined, floor);
  }

  private async commit(bucket: Bucket): Promise<void> {
    const { random, setting } = this;
    const keys = new Set(
      Array.from({ length: random.between(2, 5) }, () => random.pick(setting.keys)),
    );
    const contents: string[] = [];
    const changes = [...keys].map((key, index): CommitChange => {
      if (random.chance(0.35)) return { op: 'delete', key, ifExists: true };
      const content = this.content(`-${index}`);
      contents.push(content);
      return { op: 'put', key, content, metadata: { op: this.id } };
    });
    const floors = new Map([...keys].map((key) => [key, bucket.linearizable.floor(key)]));
    const ifCursor = random.chance(0.3) ? bucket.knownCursor : undefined;
    const options = { ...(ifCursor !== undefined && { ifCursor }), idempotencyKey: this.id };
    const result = await this.resolved(() => this.client.commit(bucket.name, changes, options));
    this.written(bucket, contents, result);
    if (!('value' in result)) return;
    const made = result.value;
    this.acknowledge(
      bucket,
      made.changes,
      made.changes.map(({ key }) => floors.get(key) ?? 0),
    );
    bucket.effects.committed(
      made.changes.map(({ cursor }) => cursor),
      ifCursor,
    );
  }

  private async change(op: 'copy' | 'move' | 'patch', bucket: Bucket, key: string): Promise<void> {
    const { client, random, setting } = this;
    const from = random.pick(setting.keys);
    if (op === 'move' && from === key) return;
    const floors = [key, from].map((one) => bucket.linearizable.floor(one));
    const body: CommitChange =
      op === 'patch'
        ? { op, key, metadata: { op: this.id } }
        : { op, key, from: { key: from }, ...(op === 'copy' && { metadata: { op: this.id } }) };
    const result = await this.resolved<Commit>(() =>
      client.commit(bucket.name, [body], { idempotencyKey: this.id }),
    );
    if (!('value' in result)) return;
    const { changes } = result.value;
    this.acknowledge(
      bucket,
      changes,
      changes.map((one) => floors[one.key === key ? 0 : 1] ?? 0),
    );
    if (changes.length > 1) bucket.effects.committed(changes.map(({ cursor }) => cursor));
  }

  /** Uploads by a signed URL, and waits for what becomes of it. */
  private async signedPut(bucket: Bucket, key: string): Promise<void> {
    const { client, setting } = this;
    const text = this.content();
    const floor = bucket.linearizable.floor(key);
    const options = { method: 'PUT', metadata: { op: this.id }, expiresIn: 300 } as const;
    const signed = await this.resolved(() => client.signedUrl(bucket.name, key, options));
    if (!('value' in signed)) return;
    await setting.service.s3.send(signed.value, text);
    const { upload_id: id = '' } = signed.value;
    for (let asked = 0; asked < UPLOAD_POLLS && !setting.isEnding(); asked++) {
      await setting.pause(1_000);
      const found = await this.resolved(() => client.uploadState(id));
      const object = 'value' in found ? found.value.object : undefined;
      if (!object) continue;
      const etag = createHash('md5').update(text).digest('hex');
      bucket.effects.written({ operation: this.id, text, isAcknowledged: true, isRefused: false });
      bucket.linearizable.wrote({ ...object, etag }, floor);
      return;
    }
    bucket.effects.written({ operation: this.id, text, isAcknowledged: false, isRefused: false });
  }

  private async restore(bucket: Bucket): Promise<void> {
    const asOf = this.random.between(0, bucket.knownCursor);
    const prefix = this.random.pick(['', ...this.setting.prefixes]);
    const from = this.setting.simulation.time.now;
    let pageToken: string | undefined;
    do {
      const page = await this.resolved(() =>
        this.client.restore(bucket.name, { asOf, prefix, ...(pageToken && { pageToken }) }),
      );
      pageToken = 'value' in page ? page.value.next_page_token : undefined;
    } while (pageToken !== undefined);
    bucket.effects.restored(from, this.setting.simulation.time.now);
  }

  private async removeAll(bucket: Bucket, key: string): Promise<void> {
    if (this.random.chance(0.5)) return this.delete(bucket, key);
    await this.resolved(() =>
      this.client.removeAll(bucket.name, this.random.pick(this.setting.prefixes)),
    );
  }
}
