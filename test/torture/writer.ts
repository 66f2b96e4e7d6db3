/** A client that writes and reads, one request at a time, until the faults end. */
import { setTimeout as pause } from 'node:timers/promises';
import { StowageClient, StowageError } from '../../client';
import type { CommitChange } from '../../client/commits';
import type { SeededRandom } from '../simulation/machine/random';
import type { Bucket, Setting } from './setting';

/** How often an operation is weighed among others. */
const WEIGHTS = {
  ...{ put: 24, delete: 8, commit: 8, batch: 80, copy: 3, move: 3, patch: 2 },
  ...{ get: 40, describe: 20, list: 1, page: 1 },
};
/** Keys drawn for a commit, some of them twice. */
const COMMIT_CHANGES = [2, 5] as const;
const BATCH_CHANGES = [28, 50] as const;
const MOST_CHANGES = 32;
type Kind = keyof typeof WEIGHTS | 'upload';
const KINDS = Object.entries(WEIGHTS).flatMap(([kind, weight]) =>
  Array.from({ length: weight }, () => kind as Kind),
);

/** Operations for each upload in parts. */
const UPLOAD = 1 / 2_000;
const UPLOAD_BYTES = 9 * 1024 * 1024;

/** A request without a response is given up after this time. */
const TIMEOUT_MS = 8_000;

/** How often a request with an idempotency key is sent again, beyond what the client does. */
const ATTEMPTS = 40;

type Result<T> =
  | { readonly value: T }
  /** `isCertain`: no attempt has an unknown outcome, so nothing was changed. */
  | { readonly refusal: StowageError; readonly isCertain: boolean }
  | { readonly isUnknown: true };

export class Writer {
  private readonly random: SeededRandom;
  /** Sends again what has no outcome. */
  private readonly patient: StowageClient;
  /** Gives up, so that outcomes stay unknown. */
  private readonly hasty: StowageClient;
  private readonly etags = new Map<string, string>();
  private operations = 0;
  private unanswered = 0;

  constructor(
    private readonly round: Setting,
    private readonly name: string,
  ) {
    this.random = round.random(name);
    const options = { baseUrl: round.baseUrl, apiKey: round.apiKey };
    const recorded = round.recorder.recording(name, timed);
    const fetch = async (address: string, init: RequestInit) => {
      this.unanswered += 1;
      const response = await recorded(address, init);
      if (response.status < 500) this.unanswered -= 1;
      return response;
    };
    this.patient = new StowageClient({ ...options, fetch });
    this.hasty = new StowageClient({ ...options, fetch, retries: 0 });
  }

  async run(): Promise<void> {
    while (!this.round.isEnding) {
      this.operations += 1;
      this.unanswered = 0;
      const kind = this.random.chance(UPLOAD) ? 'upload' : this.random.pick(KINDS);
      const [bucket, key] = [
        this.random.pick(this.round.buckets),
        this.random.pick(this.round.keys),
      ];
      const result = await this.perform(kind, bucket, key);
      this.round.count(kind, result);
    }
  }

  private get id(): string {
    return `${this.name}.${this.operations}`;
  }

  private perform(kind: Kind, bucket: Bucket, key: string): Promise<Result<unknown>> {
    const { hasty, round } = this;
    switch (kind) {
      case 'put':
        return this.put(bucket, key);
      case 'delete':
        return this.write((client, options) =>
          client.delete(bucket.name, key, { ...this.ifMatch(key), ...options }),
        );
      case 'commit':
        return this.commit(bucket, this.keys(round.keys, COMMIT_CHANGES));
      case 'batch':
        return this.commit(bucket, this.keys(round.batchKeys(this.name), BATCH_CHANGES));
      case 'copy':
      case 'move':
      case 'patch':
        return this.change(kind, bucket, key);
      case 'upload':
        return this.upload(bucket, key);
      case 'get':
        return this.get(bucket, key);
      case 'describe':
        return outcome(() => hasty.describe(bucket.name, key));
      case 'list':
        return outcome(() => hasty.list(bucket.name, { limit: 1000 }));
      case 'page':
        return outcome(() => hasty.versions(bucket.name, key));
    }
  }

  private async put(bucket: Bucket, key: string): Promise<Result<unknown>> {
    const content = this.content();
    const conditions = this.random.chance(0.15) ? { ifNoneMatch: '*' as const } : this.ifMatch(key);
    const result = await this.write((client, options) =>
      client.put(bucket.name, key, content, {
        ...{ ...conditions, ...options, metadata: { op: this.id } },
      }),
    );
    this.written(bucket, [content], result);
    if ('value' in result) this.etags.set(key, result.value.etag);
    return result;
  }

  /** Returns distinct keys, at most this number. */
  private keys(keys: readonly string[], count: readonly [number, number]): ReadonlySet<string> {
    const length = this.random.between(...count);
    const drawn = new Set(Array.from({ length }, () => this.random.pick(keys)));
    return new Set([...drawn].slice(0, MOST_CHANGES));
  }

  private async commit(bucket: Bucket, keys: ReadonlySet<string>): Promise<Result<unknown>> {
    const { random } = this;
    const contents: string[] = [];
    const changes = [...keys].map((key, index): CommitChange => {
      if (random.chance(0.3)) return { op: 'delete', key, ifExists: true };
      const content = this.content(`-${index}`);
      contents.push(content);
      return { op: 'put', key, content, metadata: { op: this.id } };
    });
    const ifCursor = random.chance(0.3) ? bucket.knownCursor : undefined;
    const conditions = { ...(ifCursor !== undefined && { ifCursor }) };
    const result = await this.write((client, options) =>
      client.commit(bucket.name, changes, { ...conditions, ...options }),
    );
    this.written(bucket, contents, result);
    if (!('value' in result)) return result;
    const cursors = result.value.changes.map(({ cursor }) => cursor);
    bucket.commits.push({ cursors, ...conditions });
    return result;
  }

  private change(op: 'copy' | 'move' | 'patch', bucket: Bucket, key: string) {
    const from = this.random.pick(this.round.keys);
    const metadata = { op: this.id };
    const body: CommitChange =
      op === 'patch' || from === key
        ? { op: 'patch', key, metadata }
        : { op, key, from: { key: from }, ...(op === 'copy' && { metadata }) };
    return this.write((client, options) => client.commit(bucket.name, [body], options));
  }

  /** In parts, straight to S3, with bytes that are not those of another upload. */
  private async upload(bucket: Bucket, key: string): Promise<Result<unknown>> {
    const bytes = Buffer.alloc(UPLOAD_BYTES, `${this.id} of ${this.round.name}; `);
    const result = await outcome(() => this.patient.upload(bucket.name, key, bytes));
    if ('value' in result && result.value.etag) bucket.uploads.set(result.value.etag, bytes);
    return result;
  }

  private async get(bucket: Bucket, key: string): Promise<Result<unknown>> {
    return outcome(async () => {
      const response = await this.hasty.get(bucket.name, key);
      const etag = response.headers.get('etag')?.replaceAll('"', '') ?? '';
      // A large object comes from the store by a redirect, without the headers of the service.
      const [size, cursor] = ['size', 'cursor'].map((name) =>
        response.headers.get(`x-object-${name}`),
      );
      const isSmall = size !== null && Number(size) < UPLOAD_BYTES;
      const bytes = Buffer.from(await response.arrayBuffer());
      if (isSmall) bucket.downloads.push({ etag, bytes });
      this.etags.set(key, etag);
      if (cursor !== null) bucket.learnCursor(Number(cursor));
    });
  }

  /** Most writes are repeated until their outcome is known. */
  private async write<T>(
    request: (client: StowageClient, options: { idempotencyKey?: string }) => Promise<T>,
  ): Promise<Result<T>> {
    const isPatient = this.random.chance(0.7);
    const idempotencyKey = `${this.round.name}.${this.id}`;
    for (let attempt = 1; ; attempt++) {
      const result = await outcome(
        () => (isPatient ? request(this.patient, { idempotencyKey }) : request(this.hasty, {})),
        () => this.unanswered === 0,
      );
      const isOver = !isPatient || attempt === ATTEMPTS;
      if (!('isUnknown' in result) || isOver) return result;
      await pause(this.random.between(50, 500));
    }
  }

  private written(bucket: Bucket, texts: readonly string[], result: Result<unknown>): void {
    const isAcknowledged = 'value' in result;
    const isRefused = 'refusal' in result && result.isCertain;
    for (const text of texts) {
      bucket.writes.push({ operation: this.id, text, isAcknowledged, isRefused });
    }
  }

  private ifMatch(key: string): { ifMatch?: string } {
    const etag = this.etags.get(key);
    return etag !== undefined && this.random.chance(0.15) ? { ifMatch: etag } : {};
  }

  /** Different in every operation, so that an etag tells which one has written it. */
  private content(part = ''): string {
    const length = this.random.chance(0.03) ? 30_000 : this.random.between(0, 200);
    return `${this.round.name}.${this.id}${part} ${'x'.repeat(length)}`;
  }
}

/** `fetch` that gives up in the end. */
export function timed(address: string, init: RequestInit): Promise<Response> {
  const signals = [AbortSignal.timeout(TIMEOUT_MS), ...(init.signal ? [init.signal] : [])];
  return fetch(address, { ...init, signal: AbortSignal.any(signals) });
}

async function outcome<T>(
  request: () => Promise<T>,
  isCertain: () => boolean = () => true,
): Promise<Result<T>> {
  try {
    return { value: await request() };
  } catch (error) {
    const isRefusal = error instanceof StowageError && !error.isTemporary;
    return isRefusal ? { refusal: error, isCertain: isCertain() } : { isUnknown: true };
  }
}
