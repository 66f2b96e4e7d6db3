/** DynamoDB on one machine: a real engine behind an endpoint that is as strict as AWS. Gaps: README.md. */
import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Iam } from '../../iam/iam';
import { UserError } from '../../user-error';
import type { StreamSource } from '../events/stream-source';
import type { Listening } from '../service';
import { Engine } from './engine';
import { startEngine } from './engine-process';
import { DynamoDbError, errorReply } from './errors';
import type { Faults } from './faults';
import { Front, type Outcome } from './front';
import { type StreamDisorder, Streams } from './streams/streams';
import { streamArn, type TableDefinition } from './table-definition';
import { ensureTables } from './tables';
import { TimeToLive } from './time-to-live';

export interface DynamoDbOptions {
  readonly tables: readonly TableDefinition[];
  /** The service's own folder: the engine's file and the streams. Made if missing; one service at a time. */
  readonly dataDir: string;
  readonly iam: Iam;
  /** `us-east-1` */
  readonly region: string;
  /** `000000000000` */
  readonly accountId: string;
  /** 0: any that is free. */
  readonly port: number;
  /**
   * Another DynamoDB-compatible server.
   *
   * @default - environment variable DYNAMODB_ENDPOINT, else the packaged engine
   */
  readonly engineEndpoint?: string;
  /** @default - none */
  readonly faults?: Faults;
  /** @default - none: each record once, in the order of the writes */
  readonly streamDisorder?: StreamDisorder;
  /**
   * How often expired items are looked for.
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

/** Starts engine and endpoint, creates missing tables, settles the streams. Throws UserError for what the user can mend. */
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

    const server = createServer(async (request, response) => {
      const outcome = await answer(front, request);
      // While the service stops, no client is to send one more request on this connection.
      if (!server.listening) response.shouldKeepAlive = false;
      send(outcome, response);
    });
    // Longer than any client keeps an idle connection: closing first would race with its next request.
    server.keepAliveTimeout = 600_000;
    const port = await listen(server, options.port);
    undo.push(() => close(server));
    return { endpoint: `http://127.0.0.1:${port}`, streams, stop };
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

function send(outcome: Outcome, response: ServerResponse): void {
  if (outcome === 'lost') {
    response.destroy();
    return;
  }
  response.writeHead(outcome.status, {
    ...outcome.headers,
    'content-length': outcome.body.length,
  });
  response.end(outcome.body);
}

async function answer(front: Front, request: IncomingMessage): Promise<Outcome> {
  if (request.method !== 'POST' || request.url !== '/') {
    return errorReply(
      new DynamoDbError('UnknownOperationException', 'DynamoDB is spoken to by POST /', {}, 404),
    );
  }
  const body = await readBody(request);
  if (body === 'too large') {
    return errorReply(
      new DynamoDbError('RequestEntityTooLargeException', 'more than 16 MB', {}, 413),
    );
  }
  return body === 'aborted' ? 'lost' : front.handle({ headers: request.headers, body });
}

function readBody(request: IncomingMessage): Promise<Buffer | 'too large' | 'aborted'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // The rest is read and dropped, so that the client gets to see the answer.
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    });
    request.on('end', () => resolve(bytes > MAX_BODY_BYTES ? 'too large' : Buffer.concat(chunks)));
    request.on('error', () => resolve('aborted'));
  });
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE' ? new UserError(`port ${port} for DynamoDB is taken`) : error,
      ),
    );
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Requests in progress are answered first, but nobody is waited for who never ends his. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const impatience = setTimeout(() => server.closeAllConnections(), 5000);
    server.close(() => {
      clearTimeout(impatience);
      resolve();
    });
    server.closeIdleConnections();
  });
}
