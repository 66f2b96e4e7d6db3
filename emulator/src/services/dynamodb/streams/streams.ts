/**
 * Derives stream records from the writes that are forwarded to the engine. The streams of the
 * engine itself are not used, because they become slower with their length.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../../errors/user-error';
import { randomNumbers } from '../../../values/random-numbers';
import {
  compareSequences,
  type Shard,
  type StreamRecord,
  type StreamSource,
  shardId,
} from '../../events/stream-source';
import type { Engine } from '../engine/engine';
import type { Item } from '../protocol/attribute-value';
import type { Reply } from '../protocol/errors';
import type { TableDefinition } from '../tables/table-definition';
import { Arrivals } from './arrivals';
import type { StreamDisorder } from './disorder';
import { readImages } from './image-reader';
import { ItemLocks } from './item-locks';
import { type Intent, Journal } from './journal';
import { type Change, isNoOp, type StreamIdentity, streamRecord } from './record';
import { shardFolders } from './shard-folders';
import { itemName, type Write } from './writes';

/** A shard of the stream of a table. */
interface OpenShard {
  readonly identity: StreamIdentity;
  readonly table: TableDefinition;
  readonly journal: Journal;
  readonly arrivals: Arrivals;
}

export interface Forwarded {
  /** ClientRequestToken of a transaction. */
  readonly token?: string;
  /** The service itself deletes the item because it is expired. */
  readonly expired?: boolean;
  readonly forward: () => Promise<Reply>;
}

export class Streams implements StreamSource {
  private readonly byTable = new Map<string, readonly OpenShard[]>();
  private readonly byArn = new Map<string, readonly OpenShard[]>();
  private readonly locks = new ItemLocks();
  private readonly random: () => number;

  constructor(
    private readonly engine: Engine,
    streams: readonly {
      readonly identity: Omit<StreamIdentity, 'shardId'>;
      readonly table: TableDefinition;
    }[],
    directory: string,
    private readonly disorder: StreamDisorder = { seed: 0 },
  ) {
    this.random = randomNumbers(disorder.seed);
    for (const { identity, table } of streams) {
      const folders = shardFolders(join(directory, table.name), disorder.shards);
      const shards = folders.map((folder, index) => ({
        identity: { ...identity, shardId: shardId(index + 1) },
        table,
        journal: new Journal(folder),
        arrivals: new Arrivals(),
      }));
      this.byTable.set(table.name, shards);
      this.byArn.set(identity.arn, shards);
    }
  }

  /** Settles the intents that the last run left open, from the items. Call it before any write. */
  async recover(): Promise<void> {
    for (const shard of [...this.byTable.values()].flat()) {
      for (const intent of shard.journal.openIntents) await this.settleByReading(shard, intent);
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
        for (const { shard, id } of intents) shard.journal.settle(id, []);
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

  shards(streamArn: string): readonly Shard[] {
    return this.shardsOf(streamArn).map(({ identity }) => ({
      streamArn,
      shardId: identity.shardId,
    }));
  }

  async read(
    shard: Shard,
    after: string | undefined,
    limit: number,
  ): Promise<readonly StreamRecord[]> {
    const { journal } = this.shard(shard);
    const records = journal.read(after, limit);
    const [first] = records;
    const { repeat = 0 } = this.disorder;
    if (repeat === 0 || first === undefined || after === undefined || this.random() >= repeat) {
      return records;
    }
    const back = BigInt(after) - BigInt(1 + Math.floor(this.random() * 10));
    return journal.read(String(back), limit + 10).slice(0, Math.max(limit, 11));
  }

  async arrival(shard: Shard, after: string | undefined, signal: AbortSignal): Promise<void> {
    const { journal, arrivals } = this.shard(shard);
    const { latest } = journal;
    if (latest !== undefined && compareSequences(latest, after ?? '') > 0) return;
    await arrivals.next(signal);
  }

  async latest(shard: Shard): Promise<string | undefined> {
    return this.shard(shard).journal.latest;
  }

  async checkpoint(shard: Shard, consumer: string): Promise<string | undefined> {
    return this.shard(shard).journal.checkpoint(consumer);
  }

  async saveCheckpoint(shard: Shard, consumer: string, sequence: string): Promise<void> {
    this.shard(shard).journal.saveCheckpoint(consumer, sequence);
  }

  /** Call it after the last write has returned. */
  async close(): Promise<void> {
    await this.locks.idle();
    for (const { journal } of [...this.byTable.values()].flat()) journal.close();
  }

  private shardsOf(arn: string): readonly OpenShard[] {
    const shards = this.byArn.get(arn);
    if (shards === undefined) throw new UserError(`there is no stream ${arn}`);
    return shards;
  }

  private shard({ streamArn, shardId: id }: Shard): OpenShard {
    const shard = this.shardsOf(streamArn).find(({ identity }) => identity.shardId === id);
    if (shard === undefined) throw new UserError(`stream ${streamArn} has no shard ${id}`);
    return shard;
  }

  /** The shard with the records of an item: by a hash of its partition key. */
  private shardWith({ table, keys }: Pick<Write, 'table' | 'keys'>): OpenShard {
    const shards = this.byTable.get(table.name) ?? [];
    const [key] = table.keys;
    const hash = createHash('md5')
      .update(JSON.stringify(keys[key?.name ?? '']))
      .digest();
    const shard = shards[hash.readUInt32BE() % shards.length];
    if (shard === undefined) throw new Error(`table ${table.name} has no stream`);
    return shard;
  }

  /**
   * Reports whether the writes repeat a transaction. The engine then responds with success without
   * writing, so that no records must be added.
   */
  private isRepeated(writes: readonly Write[], token: string | undefined): boolean {
    if (token === undefined) return false;
    return writes.some((write) => this.shardWith(write).journal.hasTransaction(token));
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

  private intend(writes: readonly Write[]): { shard: OpenShard; id: number; writes: Write[] }[] {
    const byShard = new Map<OpenShard, Write[]>();
    for (const write of writes) {
      const shard = this.shardWith(write);
      byShard.set(shard, [...(byShard.get(shard) ?? []), write]);
    }
    return [...byShard].map(([shard, own]) => {
      const id = shard.journal.intend(own.map(({ kind, keys }) => ({ kind, keys })));
      return { shard, id, writes: own };
    });
  }

  private async settleDone(
    intents: readonly { shard: OpenShard; id: number; writes: Write[] }[],
    before: ReadonlyMap<string, Item>,
    request: Forwarded,
  ): Promise<void> {
    const updated = intents.flatMap(({ writes }) => writes.filter(({ kind }) => kind === 'update'));
    const after = await readImages(this.engine, updated);
    const late = this.disorder.lateMilliseconds;
    if (late !== undefined) await delay(this.random() * late);
    for (const { shard, id, writes } of intents) {
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
      this.settle(shard, id, changes, request.token);
    }
  }

  /**
   * Settles intents whose response was lost, from the current items. When reading those fails too,
   * the next start settles them.
   */
  private async settleUnknown(intents: readonly { shard: OpenShard; id: number }[]): Promise<void> {
    for (const { shard, id } of intents) {
      const intent = shard.journal.openIntents.find((open) => open.id === id);
      if (intent !== undefined) await this.settleByReading(shard, intent);
    }
  }

  private async settleByReading(shard: OpenShard, intent: Intent): Promise<void> {
    const { table } = shard;
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
    this.settle(shard, intent.id, changes);
  }

  private settle(shard: OpenShard, id: number, changes: readonly Change[], token?: string): void {
    const records = changes
      .filter((change) => !isNoOp(change))
      .map((change) => (sequence: string) => streamRecord(change, shard.identity, sequence));
    shard.journal.settle(id, records, token);
    if (records.length > 0) shard.arrivals.wake();
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
