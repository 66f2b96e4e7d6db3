/**
 * DynamoDB: a database engine behind an endpoint that is as strict as AWS. README.md lists the
 * gaps.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Iam } from '../../iam/iam';
import type { StreamSource } from '../events/stream-source';
import { startPostEndpoint } from '../post-endpoint';
import type { Listening } from '../service';
import { Engine } from './engine/engine';
import { startEngine } from './engine/process';
import type { Faults } from './faults';
import { Front } from './front';
import { DynamoDbError, errorReply, type Reply } from './protocol/errors';
import type { StreamDisorder } from './streams/disorder';
import { Streams } from './streams/streams';
import { streamArn, type TableDefinition } from './tables/table-definition';
import { ensureTables } from './tables/tables';
import { TimeToLive } from './time-to-live';

export interface DynamoDbOptions {
  readonly tables: readonly TableDefinition[];
  /**
   * Folder of this service, with the database of the engine and the streams. Created if missing;
   * used by one service at a time.
   */
  readonly dataDir: string;
  readonly iam: Iam;
  /** `us-east-1` */
  readonly region: string;
  /** `000000000000` */
  readonly accountId: string;
  /** 0: any free port. */
  readonly port: number;
  /**
   * Endpoint of a DynamoDB-compatible server to use as the engine.
   *
   * @default - environment variable DYNAMODB_ENDPOINT, else the packaged engine
   */
  readonly engineEndpoint?: string;
  /** @default - none */
  readonly faults?: Faults;
  /** @default - none: each record is read once, in the order of the writes */
  readonly streamDisorder?: StreamDisorder;
  /**
   * Milliseconds between two sweeps for expired items.
   *
   * @default 60000
   */
  readonly ttlIntervalMilliseconds?: number;
}

export interface DynamoDb extends Listening {
  readonly streams: StreamSource;
}

/** DynamoDB takes requests up to 16 MB. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * Starts the engine and the endpoint, creates missing tables and recovers the streams. Throws
 * UserError for problems that the user can solve.
 */
export async function startDynamoDb(options: DynamoDbOptions): Promise<DynamoDb> {
  const undo: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= inReverse(undo);
    return stopping;
  };
  try {
    mkdirSync(options.dataDir, { recursive: true });
    const engine = new Engine(await engineEndpoint(options, undo));
    undo.push(() => engine.close());
    await ensureTables(engine, options.tables);

    const streams = openStreams(engine, options);
    undo.push(() => streams.close());
    await streams.recover();

    const front = new Front({ ...options, engine, streams });
    const timeToLive = new TimeToLive(engine, options.tables, (table, request) =>
      front.expire(table, request),
    );
    timeToLive.start(options.ttlIntervalMilliseconds ?? 60_000);
    undo.push(() => timeToLive.stop());

    const endpoint = await startPostEndpoint({
      port: options.port,
      service: 'DynamoDB',
      maxBodyBytes: MAX_BODY_BYTES,
      handle: async (request) => {
        const outcome = await front.handle(request);
        return outcome === 'lost' ? undefined : outcome;
      },
      refuse,
    });
    undo.push(() => endpoint.stop());
    return { endpoint: endpoint.endpoint, streams, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function inReverse(steps: readonly (() => Promise<void>)[]): Promise<void> {
  for (const step of steps.toReversed()) await step();
}

async function engineEndpoint(
  options: DynamoDbOptions,
  undo: (() => Promise<void>)[],
): Promise<string> {
  const given = options.engineEndpoint ?? process.env.DYNAMODB_ENDPOINT;
  if (given !== undefined && given !== '') return given;
  const engine = await startEngine(options.dataDir);
  let stopping = false;
  void engine.ended.then(() => {
    if (!stopping)
      process.stderr.write('dynamodb: the engine has ended; start the service again\n');
  });
  undo.push(() => {
    stopping = true;
    return engine.stop();
  });
  return engine.endpoint;
}

function openStreams(engine: Engine, options: DynamoDbOptions): Streams {
  const { region, accountId } = options;
  const tables = options.tables.flatMap((table) => {
    if (table.stream === undefined) return [];
    const arn = streamArn(`arn:aws:dynamodb:${region}:${accountId}:table/${table.name}`);
    return [{ table, identity: { arn, region, view: table.stream } }];
  });
  return new Streams(engine, tables, join(options.dataDir, 'streams'), options.streamDisorder);
}

function refuse(status: 404 | 413, message: string): Reply {
  const code = status === 413 ? 'RequestEntityTooLargeException' : 'UnknownOperationException';
  return errorReply(new DynamoDbError(code, message, {}, status));
}
