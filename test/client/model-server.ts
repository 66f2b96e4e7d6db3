/**
 * The server's side of the channel as docs/api.md tells it, in memory: what a follower must end
 * with can be read off it.
 */
import { isRecord } from '../../client/resources';

export interface LogEntry {
  readonly cursor: number;
  readonly type: 'put' | 'delete' | 'void';
  readonly key: string;
}

/** One life of a bucket; a bucket that was deleted and made again has several. */
export interface Life {
  readonly bucket: string;
  readonly id: string;
  readonly log: LogEntry[];
  oldest: number;
}

export interface ModelConnection {
  readonly subscriptions: Map<string, { readonly prefix: string; readonly id: string }>;
  readonly post: (message: object) => void;
}

/** What one message of a replay covers at most; the third one of a replay is its last. */
const RANGE = 4;
const MESSAGES_PER_REPLAY = 3;

export class ModelServer {
  /** Of each bucket the lives in order, the current one last. */
  readonly lives = new Map<string, Life[]>();
  readonly connections = new Set<ModelConnection>();
  #ids = 0;

  create(bucket: string): Life {
    this.#ids += 1;
    const life = { bucket, id: `life${String(this.#ids).padStart(8, '0')}`, log: [], oldest: 1 };
    this.lives.set(bucket, [...(this.lives.get(bucket) ?? []), life]);
    return life;
  }

  life(bucket: string): Life {
    const life = this.lives.get(bucket)?.at(-1);
    if (!life) throw new Error(`no bucket ${bucket}`);
    return life;
  }

  /** Commits some changes and pushes them in one message to each subscriber. */
  commit(bucket: string, changes: readonly Omit<LogEntry, 'cursor'>[]): void {
    const life = this.life(bucket);
    const from = life.log.length;
    for (const change of changes) life.log.push({ ...change, cursor: life.log.length + 1 });
    for (const connection of this.connections) {
      const subscription = connection.subscriptions.get(bucket);
      if (subscription?.id !== life.id) continue;
      connection.post(changesMessage(life, from, life.log.length, subscription.prefix));
    }
  }

  trim(bucket: string, keep: number): void {
    const life = this.life(bucket);
    life.oldest = Math.max(life.oldest, life.log.length - keep + 1);
  }

  receive(connection: ModelConnection, text: string): void {
    const message: unknown = JSON.parse(text);
    if (!isRecord(message)) throw new Error('no object');
    if (message.action === 'ping')
      this.#ping(connection, message.cursors as Record<string, number>);
    else if (message.action === 'subscribe') this.#subscribe(connection, message);
    else throw new Error(`unknown action in ${text}`);
  }

  #subscribe(connection: ModelConnection, message: Readonly<Record<string, unknown>>): void {
    const life = this.life(String(message.bucket));
    const cursor = typeof message.cursor === 'number' ? message.cursor : life.log.length;
    const { bucket, id } = life;
    if (message.bucket_id !== undefined && message.bucket_id !== id) {
      connection.subscriptions.delete(bucket);
      connection.post({ type: 'reset', reason: 'bucket_replaced', ...endsOf(life) });
    } else if (cursor + 1 < life.oldest) {
      connection.subscriptions.delete(bucket);
      connection.post({ type: 'reset', reason: 'cursor_expired', ...endsOf(life) });
    } else if (cursor > life.log.length) {
      throw new Error(`${bucket}: asked for ${cursor} of ${life.log.length}`);
    } else {
      const prefix = typeof message.prefix === 'string' ? message.prefix : '';
      connection.subscriptions.set(bucket, { prefix, id });
      const head = life.log.length;
      connection.post({ type: 'subscribed', bucket, bucket_id: id, cursor, head });
      this.#replay(connection, life, cursor, prefix);
    }
  }

  #ping(connection: ModelConnection, cursors: Readonly<Record<string, number>>): void {
    const behind: (() => void)[] = [];
    const heads: Record<string, number> = {};
    for (const [bucket, cursor] of Object.entries(cursors)) {
      const subscription = connection.subscriptions.get(bucket);
      const life = this.life(bucket);
      if (!subscription) continue;
      const isReplaced = subscription.id !== life.id;
      if (isReplaced || cursor + 1 < life.oldest) {
        connection.subscriptions.delete(bucket);
        const reason = isReplaced ? 'bucket_replaced' : 'cursor_expired';
        connection.post({ type: 'reset', reason, ...endsOf(life) });
      } else {
        heads[bucket] = life.log.length;
        behind.push(() => this.#replay(connection, life, cursor, subscription.prefix));
      }
    }
    connection.post({ type: 'pong', heads });
    for (const replay of behind) replay();
  }

  #replay(connection: ModelConnection, life: Life, cursor: number, prefix: string): void {
    let from = cursor;
    for (let count = 1; from < life.log.length && count <= MESSAGES_PER_REPLAY; count++) {
      const to = Math.min(from + RANGE, life.log.length);
      const isCut = count === MESSAGES_PER_REPLAY && to < life.log.length;
      connection.post({ ...changesMessage(life, from, to, prefix), ...(isCut && { more: true }) });
      from = to;
    }
  }
}

function endsOf(life: Life) {
  return { bucket: life.bucket, oldest: life.oldest, head: life.log.length };
}

/** What a follower of the prefix sees of (from, to]. */
export function visible(life: Life, from: number, to: number, prefix: string): LogEntry[] {
  return life.log.filter(
    ({ cursor, type, key }) =>
      cursor > from && cursor <= to && type !== 'void' && key.startsWith(prefix),
  );
}

/** What the followers under test only hand on. */
export const DESCRIPTOR = { version: 1, size: 5, content_type: 'text/plain', metadata: {} };

function changesMessage(life: Life, from: number, to: number, prefix: string): object {
  const { bucket, id } = life;
  const changes = visible(life, from, to, prefix).map(({ cursor, type, key }) => ({
    cursor,
    type,
    object: { ...DESCRIPTOR, bucket, key, cursor },
  }));
  return { type: 'changes', bucket, bucket_id: id, from, to, head: life.log.length, changes };
}
