/** `npm run follow -- photos`: prints the changes of a bucket as they happen. */
import { parseArgs } from 'node:util';
import { StowageClient, StowageError, type SubscriptionEvent } from '../client/index';
import { localBaseUrl, localKey, UserError } from './local-service';
import { webSocket } from './web-socket';

const USAGE = `usage: follow BUCKET [options]

Prints each change of a bucket as it happens, until Ctrl-C.

  --cursor N        prints the changes after this cursor; 0 = from the beginning (default: from now)
  --prefix P        only keys that begin with P
  --base-url URL    where the service is (default: the local service)
  --key KEY         the API key (default: STOWAGE_API_KEY, or the first key of the local service)
  --data FOLDER     the data folder of the local service (default: .local)
  --transport T     auto, websocket or poll (default: auto)
  --json            one line of JSON for each change`;

function parse(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      cursor: { type: 'string' },
      prefix: { type: 'string' },
      'base-url': { type: 'string' },
      key: { type: 'string' },
      data: { type: 'string', default: '.local' },
      transport: { type: 'string', default: 'auto' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  const [bucket] = positionals;
  if (values.help) return undefined;
  if (bucket === undefined || positionals.length > 1) {
    throw new UserError('name one bucket, for example: follow photos');
  }
  const { cursor, transport } = values;
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) {
    throw new UserError(`--cursor must be a whole number from 0, got ${cursor}`);
  }
  return {
    ...values,
    bucket,
    cursor: cursor === undefined ? undefined : Number(cursor),
    transport: transportOf(transport),
  };
}

function transportOf(text: string): 'auto' | 'websocket' | 'poll' {
  if (text === 'auto' || text === 'websocket' || text === 'poll') return text;
  throw new UserError(`--transport must be auto, websocket or poll, got ${text}`);
}

type Options = NonNullable<ReturnType<typeof parse>>;

/** Escapes control characters: a key may contain commands for the terminal. */
function shown(text: string): string {
  return text.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

function line(event: SubscriptionEvent, json: boolean): string | undefined {
  if (event.type !== 'put' && event.type !== 'delete') return undefined;
  if (json) return JSON.stringify(event);
  const { cursor, object } = event;
  const what = `${String(cursor).padStart(6)}  ${event.type.padEnd(6)}  ${shown(object.key)}`;
  if (event.type === 'delete') return `${what}  version ${object.version}`;
  const { size, version, content_type } = event.object;
  return `${what}  version ${version}, ${size} bytes, ${shown(content_type)}`;
}

/** The note about the connection, for stderr. */
function note(event: SubscriptionEvent, { prefix, bucket }: Options): string | undefined {
  if (event.type === 'cursor') {
    const where = prefix ? `${bucket} below ${shown(prefix)}` : bucket;
    return `following ${where} from cursor ${event.cursor}`;
  }
  if (event.type !== 'status') return undefined;
  if (event.status === 'disconnected') return `disconnected: ${event.reason}; trying again`;
  return `connected by ${event.transport === 'poll' ? 'long polling' : 'WebSocket'}`;
}

async function follow(options: Options, signal: AbortSignal): Promise<void> {
  const { bucket, cursor, prefix, json, transport } = options;
  const baseUrl = options['base-url'] ?? localBaseUrl(options.data);
  const client = new StowageClient({
    baseUrl,
    apiKey: options.key ?? localKey(options.data),
    webSocket: await webSocket(),
  });
  const subscription = client.sync({ [bucket]: { cursor, prefix } }, { signal, transport });
  let isBegun = false;
  for await (const event of subscription.events()) {
    if (event.type === 'ended') throw event.error;
    if (event.type === 'reset') {
      throw new UserError(
        `the change log begins at cursor ${event.oldest}: ` +
          `follow from --cursor ${event.oldest - 1} or later`,
      );
    }
    const text = line(event, json);
    if (text !== undefined) process.stdout.write(`${text}\n`);
    const remark = isBegun && event.type === 'cursor' ? undefined : note(event, options);
    isBegun ||= event.type === 'cursor';
    if (remark !== undefined) process.stderr.write(`${remark}\n`);
  }
}

function explain(error: unknown, bucket: string): string | undefined {
  if (error instanceof UserError) return error.message;
  if (!(error instanceof StowageError)) return undefined;
  const reference = error.requestId === undefined ? '' : ` (request ${error.requestId})`;
  if (error.code === 'unauthorized') return `the service does not accept this API key${reference}`;
  if (error.code === 'forbidden') return `this API key may not follow ${bucket}${reference}`;
  if (error.code === 'not_found') return `there is no bucket ${bucket}${reference}`;
  return `${error.message}${reference}`;
}

async function main(args: readonly string[]): Promise<number> {
  let options: Options | undefined;
  try {
    options = parse(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}\n`);
    return 2;
  }
  if (!options) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  // The reader of the output has closed it: `npm run follow -- photos | head`.
  process.stdout.once('error', () => stop.abort());
  try {
    await follow(options, stop.signal);
    return 0;
  } catch (error) {
    const text = explain(error, options.bucket);
    if (text === undefined) throw error;
    process.stderr.write(`${text}\n`);
    return 1;
  }
}

void main(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
