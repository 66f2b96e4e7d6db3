/**
 * Derives stream records from the writes that are forwarded to the engine. The streams of the
 * engine itself are not used, because they become slower with their length.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { randomNumbers } from '../../../random-numbers';
import { UserError } from '../../../user-error';
import type { StreamRecord, StreamSource } from '../../events/stream-source';
import type { Item } from '../attribute-value';
import type { Engine } from '../engine';
import type { Reply } from '../errors';
import type { TableDefinition } from '../table-definition';
import type { StreamDisorder } from './disorder';
import { readImages } from './image-reader';
import { ItemLocks } from './item-locks';
import { type Intent, Journal } from './journal';
import { type Change, isNoOp, type StreamIdentity, streamRecord } from './record';
import { itemName, type Write } from './writes';

interface Stream {
  readonly identity: StreamIdentity;
  readonly table: TableDefinition;
  readonly journal: Journal;
}

export interface Forwarded {
  /** ClientRequestToken of a transaction. */
  readonly token?: string;
  /** The service itself deletes the item because it is expired. */
  readonly expired?: boolean;
  readonly forward: () => Promise<Reply>;
}

export class Streams implements StreamSource {
  private readonly byTable = new Map<string, Stream>();
  private readonly byArn = new Map<string, Stream>();
  private readonly locks = new ItemLocks();
  private readonly random: () => number;

  constructor(
    private readonly engine: Engine,
    streams: readonly { readonly identity: StreamIdentity; readonly table: TableDefinition }[],
    directory: string,
    private readonly disorder: StreamDisorder = { seed: 0 },
  ) {
    this.random = randomNumbers(disorder.seed);
    for (const { identity, table } of streams) {
      const stream = { identity, table, journal: new Journal(join(directory, table.name)) };
      this.byTable.set(table.name, stream);
      this.byArn.set(identity.arn, stream);
    }
  }

  /** Settles the intents that the last run left open, from the items. Call it before any write. */
  async recover(): Promise<void> {
    for (const stream of this.byTable.values()) {
      for (const intent of stream.journal.openIntents) await this.settleByReading(stream, intent);
    }
  }

  /**
   * Forwards a request that performs these writes, and adds their records. Rejects as `forward`
   * does.
   */
  async perform(writes: readonly Write[], request: Forwarded): Promise<Reply> {
    const release = await this.locks.acquire(
      writes.map((write) => itemName(write.table, write.keys)),
    );
    let records: Promise<void> | undefined;
    try {
      if (this.isRepeated(writes, request.token)) return await request.forward();
      const before = await this.imagesBefore(writes);
      const intents = this.intend(writes);
      let reply: Reply;
      try {
        reply = await request.forward();
      } catch (error) {
        records = this.settleUnknown(intents);
        throw error;
      }
      if (reply.status === 200 && !reply.body.includes('"UnprocessedItems":{"')) {
        records = this.settleDone(intents, before, request);
      } else if (reply.status >= 400 && reply.status < 500) {
        for (const { stream, id } of intents) stream.journal.settle(id, []);
      } else {
        records = this.settleUnknown(intents);
      }
      // Late records are added after the response.
      if (this.disorder.lateMilliseconds === undefined) await records;
      return reply;
    } finally {
      if (records === undefined) release();
      else void records.catch(report).then(release);
    }
  }

  async read(
    arn: string,
    after: string | undefined,
    limit: number,
  ): Promise<readonly StreamRecord[]> {
    const { journal } = this.stream(arn);
    const records = journal.read(after, limit);
    const [first] = records;
    const { repeat = 0 } = this.disorder;
    if (repeat === 0 || first === undefined || after === undefined || this.random() >= repeat) {
      return records;
    }
    const back = BigInt(after) - BigInt(1 + Math.floor(this.random() * 10));
    return journal.read(String(back), limit + 10).slice(0, Math.max(limit, 11));
  }

  async latest(arn: string): Promise<string | undefined> {
    return this.stream(arn).journal.latest;
  }

  async checkpoint(arn: string, consumer: string): Promise<string | undefined> {
    return this.stream(arn).journal.checkpoint(consumer);
  }

  async saveCheckpoint(arn: string, consumer: string, sequence: string): Promise<void> {
    this.stream(arn).journal.saveCheckpoint(consumer, sequence);
  }

  /** Call it after the last write has returned. */
  async close(): Promise<void> {
    await this.locks.idle();
    for (const { journal } of this.byTable.values()) journal.close();
  }

  private stream(arn: string): Stream {
    const stream = this.byArn.get(arn);
    if (stream === undefined) throw new UserError(`there is no stream ${arn}`);
    return stream;
  }

  private streamOf(table: TableDefinition): Stream {
    const stream = this.byTable.get(table.name);
    if (stream === undefined) throw new Error(`table ${table.name} has no stream`);
    return stream;
  }

  /**
   * Whether the writes repeat a transaction. The engine then responds with success without writing,
   * so that no records must be added.
   */
  private isRepeated(writes: readonly Write[], token: string | undefined): boolean {
    if (token === undefined) return false;
    return writes.some((write) => this.streamOf(write.table).journal.hasTransaction(token));
  }

  private imagesBefore(writes: readonly Write[]): Promise<ReadonlyMap<string, Item>> {
    const items = writes
      .filter((write) => !write.inserts)
      .map(({ table, keys, kind }) => ({
        table,
        keys,
        keysOnly:
          kind === 'delete' && (table.stream === 'NEW_IMAGE' || table.stream === 'KEYS_ONLY'),
      }));
    return readImages(this.engine, items);
  }

  private intend(writes: readonly Write[]): { stream: Stream; id: number; writes: Write[] }[] {
    const streams = new Set(writes.map((write) => this.streamOf(write.table)));
    return [...streams].map((stream) => {
      const own = writes.filter((write) => write.table === stream.table);
      const id = stream.journal.intend(own.map(({ kind, keys }) => ({ kind, keys })));
      return { stream, id, writes: own };
    });
  }

  private async settleDone(
    intents: readonly { stream: Stream; id: number; writes: Write[] }[],
    before: ReadonlyMap<string, Item>,
    request: Forwarded,
  ): Promise<void> {
    const updated = intents.flatMap(({ writes }) => writes.filter(({ kind }) => kind === 'update'));
    const after = await readImages(this.engine, updated);
    const late = this.disorder.lateMilliseconds;
    if (late !== undefined) await delay(this.random() * late);
    for (const { stream, id, writes } of intents) {
      const changes = writes.map((write): Change => {
        const { table, keys } = write;
        const name = itemName(table, keys);
        return {
          table,
          keys,
          before: before.get(name),
          after: write.item ?? after.get(name),
          expired: request.expired,
        };
      });
      if (late !== undefined) this.shuffle(changes);
      this.settle(stream, id, changes, request.token);
    }
  }

  /**
   * Settles intents whose response was lost, from the current items. When reading those fails too,
   * the next start settles them.
   */
  private async settleUnknown(intents: readonly { stream: Stream; id: number }[]): Promise<void> {
    for (const { stream, id } of intents) {
      const intent = stream.journal.openIntents.find((open) => open.id === id);
      if (intent !== undefined) await this.settleByReading(stream, intent);
    }
  }

  private async settleByReading(stream: Stream, intent: Intent): Promise<void> {
    const { table } = stream;
    const images = await readImages(
      this.engine,
      intent.writes.map(({ keys }) => ({ table, keys })),
    );
    const changes = intent.writes.flatMap(({ kind, keys }): Change[] => {
      const after = images.get(itemName(table, keys));
      if (kind !== 'delete') return after === undefined ? [] : [{ table, keys, after }];
      // Of a deleted item only the keys are known.
      return after === undefined ? [{ table, keys, before: keys }] : [];
    });
    this.settle(stream, intent.id, changes);
  }

  private settle(stream: Stream, id: number, changes: readonly Change[], token?: string): void {
    const records = changes
      .filter((change) => !isNoOp(change))
      .map((change) => (sequence: string) => streamRecord(change, stream.identity, sequence));
    stream.journal.settle(id, records, token);
  }

  private shuffle<T>(values: T[]): void {
    values.sort(() => this.random() - 0.5);
  }
}

/** Reports an intent that could not be settled. It stays open until the next start. */
function report(error: unknown): void {
  process.stderr.write(
    `dynamodb: some stream records are added at the next start only: ${String(error)}\n`,
  );
}
