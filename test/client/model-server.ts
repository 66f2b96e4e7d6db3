/**
 * The server's side of the channel as docs/api.md describes it, in memory. At the end of a test a
 * follower must have received exactly its change log.
 */
import { isRecord } from '../../client/resources';

export interface LogEntry {
  readonly cursor: number;
  readonly type: 'put' | 'delete' | 'noop';
  readonly key: string;
}

/** One incarnation of a bucket: a bucket that was deleted and created again has several. */
export interface Incarnation {
  readonly bucket: string;
  readonly id: string;
  readonly log: LogEntry[];
  oldest: number;
}

export interface ModelConnection {
  readonly subscriptions: Map<string, { readonly prefix: string; readonly id: string }>;
  readonly post: (message: object) => void;
}

/** The maximal number of entries in a message, and of messages in response to one request. */
const RANGE = 4;
const MESSAGES_PER_CATCH_UP = 3;

export class ModelServer {
  /** The incarnations of each bucket in order, the current one last. */
  readonly incarnations = new Map<string, Incarnation[]>();
  readonly connections = new Set<ModelConnection>();
  #ids = 0;

  create(bucket: string): Incarnation {
    this.#ids += 1;
    const incarnation = {
      bucket,
      id: `bucket${String(this.#ids).padStart(6, '0')}`,
      log: [],
      oldest: 1,
    };
    this.incarnations.set(bucket, [...(this.incarnations.get(bucket) ?? []), incarnation]);
    return incarnation;
  }

  incarnation(bucket: string): Incarnation {
    const incarnation = this.incarnations.get(bucket)?.at(-1);
    if (!incarnation) throw new Error(`no bucket ${bucket}`);
    return incarnation;
  }

  /** Commits some changes and pushes them to each subscriber in one message. */
  commit(bucket: string, changes: readonly Omit<LogEntry, 'cursor'>[]): void {
    const incarnation = this.incarnation(bucket);
    const from = incarnation.log.length;
    for (const change of changes)
      incarnation.log.push({ ...change, cursor: incarnation.log.length + 1 });
    for (const connection of this.connections) {
      const subscription = connection.subscriptions.get(bucket);
      if (subscription?.id !== incarnation.id) continue;
      connection.post(
        changesMessage(incarnation, from, incarnation.log.length, subscription.prefix),
      );
    }
  }

  trim(bucket: string, keep: number): void {
    const incarnation = this.incarnation(bucket);
    incarnation.oldest = Math.max(incarnation.oldest, incarnation.log.length - keep + 1);
  }

  receive(connection: ModelConnection, text: string): void {
    const message: unknown = JSON.parse(text);
    if (!isRecord(message)) throw new Error('not an object');
    if (message.action === 'ping')
      this.#ping(connection, message.cursors as Record<string, number>);
    else if (message.action === 'subscribe') this.#subscribe(connection, message);
    else throw new Error(`unknown action in ${text}`);
  }

  #subscribe(connection: ModelConnection, message: Readonly<Record<string, unknown>>): void {
    const incarnation = this.incarnation(String(message.bucket));
    const cursor = typeof message.cursor === 'number' ? message.cursor : incarnation.log.length;
    const { bucket, id } = incarnation;
    if (message.bucket_id !== undefined && message.bucket_id !== id) {
      connection.subscriptions.delete(bucket);
      connection.post({ type: 'reset', reason: 'bucket_replaced', ...endsOf(incarnation) });
    } else if (cursor + 1 < incarnation.oldest) {
      connection.subscriptions.delete(bucket);
      connection.post({ type: 'reset', reason: 'cursor_expired', ...endsOf(incarnation) });
    } else if (cursor > incarnation.log.length) {
      throw new Error(`${bucket}: asked for ${cursor} of ${incarnation.log.length}`);
    } else {
      const prefix = typeof message.prefix === 'string' ? message.prefix : '';
      connection.subscriptions.set(bucket, { prefix, id });
      const head = incarnation.log.length;
      connection.post({ type: 'subscribed', bucket, bucket_id: id, cursor, head });
      this.#catchUp(connection, incarnation, cursor, prefix);
    }
  }

  #ping(connection: ModelConnection, cursors: Readonly<Record<string, number>>): void {
    const behind: (() => void)[] = [];
    const heads: Record<string, number> = {};
    for (const [bucket, cursor] of Object.entries(cursors)) {
      const subscription = connection.subscriptions.get(bucket);
      const incarnation = this.incarnation(bucket);
      if (!subscription) continue;
      const isReplaced = subscription.id !== incarnation.id;
      if (isReplaced || cursor + 1 < incarnation.oldest) {
        connection.subscriptions.delete(bucket);
        const reason = isReplaced ? 'bucket_replaced' : 'cursor_expired';
        connection.post({ type: 'reset', reason, ...endsOf(incarnation) });
      } else {
        heads[bucket] = incarnation.log.length;
        behind.push(() => this.#catchUp(connection, incarnation, cursor, subscription.prefix));
      }
    }
    connection.post({ type: 'pong', heads });
    for (const catchUp of behind) catchUp();
  }

  #catchUp(
    connection: ModelConnection,
    incarnation: Incarnation,
    cursor: number,
    prefix: string,
  ): void {
    let from = cursor;
    for (let count = 1; from < incarnation.log.length && count <= MESSAGES_PER_CATCH_UP; count++) {
      const to = Math.min(from + RANGE, incarnation.log.length);
      const isCut = count === MESSAGES_PER_CATCH_UP && to < incarnation.log.length;
      connection.post({
        ...changesMessage(incarnation, from, to, prefix),
        ...(isCut && { more: true }),
      });
      from = to;
    }
  }
}

function endsOf(incarnation: Incarnation) {
  return { bucket: incarnation.bucket, oldest: incarnation.oldest, head: incarnation.log.length };
}

/** The changes of (from, to] below the prefix. */
export function visible(
  incarnation: Incarnation,
  from: number,
  to: number,
  prefix: string,
): LogEntry[] {
  return incarnation.log.filter(
    ({ cursor, type, key }) =>
      cursor > from && cursor <= to && type !== 'noop' && key.startsWith(prefix),
  );
}

/** Fields that the tested followers pass on unchanged. */
export const DESCRIPTOR = { version: 1, size: 5, content_type: 'text/plain', metadata: {} };

function changesMessage(
  incarnation: Incarnation,
  from: number,
  to: number,
  prefix: string,
): object {
  const { bucket, id } = incarnation;
  const changes = visible(incarnation, from, to, prefix).map(({ cursor, type, key }) => ({
    cursor,
    type,
    object: { ...DESCRIPTOR, bucket, key, cursor },
  }));
  return {
    type: 'changes',
    bucket,
    bucket_id: id,
    from,
    to,
    head: incarnation.log.length,
    changes,
  };
}
