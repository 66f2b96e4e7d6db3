/** The command line of the emulator: runs a stack until a signal stops it. */
import { parseArgs } from 'node:util';
import type { LocalOptions } from './options';
import { type LocalRuntime, startLocal } from './runtime';
import { parseStreamDisorder } from './services/dynamodb/streams/disorder';
import { parseDisorder } from './services/sqs/disorder';
import { parseFaults } from './services/websocket/faults';
import { UserError } from './user-error';

const USAGE = `Runs a synthesized stack on this machine.

  --cdk-out FOLDER           the output of cdk synth (cdk.out)
  --stack NAME               the stack to run (the only one)
  --data FOLDER              holds all data (.local)
  --port PORT                of the REST API (7070); 0: any free port
  --s3-port PORT             (7071)
  --dynamodb-port PORT       (7072)
  --sqs-port PORT            (7073)
  --oidc-port PORT           of the sign-in page (7074)
  --api-port PORT            of the first of the other REST APIs (7080), the next ones follow; 0: any free
  --websocket-idle SECONDS   closes a silent connection (600)
  --websocket-lifetime SECONDS
                             closes every connection (7200)
  --websocket-faults RATES   drop=0.2,repeat=0.2,reorder=0.2,cut=0.001,drop-disconnect=1,shuffle=0.2,hold=50,seed=7
  --sqs-faults RATES         repeat=0.2,overlap=0.1,shuffle=1,seed=7
  --stream-faults RATES      of the tables' streams: repeat=0.2,late=50,seed=7
  --s3-endpoint URL          another S3 server, also as environment variable S3_ENDPOINT
  --dynamodb-endpoint URL    another DynamoDB server, also as DYNAMODB_ENDPOINT
  --iam-report FILE          written at the end: the grants that the functions needed, and the refusals
  --logs-to-stderr           functions log to standard error, not to FOLDER/logs
`;

/** Milliseconds after which a stop that has not finished ends this process. */
const STOP_TIMEOUT = 10_000;

function parseFlags(argv: readonly string[]): LocalOptions | 'help' {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      'cdk-out': { type: 'string', default: 'cdk.out' },
      stack: { type: 'string' },
      data: { type: 'string', default: '.local' },
      port: { type: 'string' },
      's3-port': { type: 'string' },
      'dynamodb-port': { type: 'string' },
      'sqs-port': { type: 'string' },
      'oidc-port': { type: 'string' },
      'api-port': { type: 'string' },
      'websocket-idle': { type: 'string' },
      'websocket-lifetime': { type: 'string' },
      'websocket-faults': { type: 'string' },
      'sqs-faults': { type: 'string' },
      'stream-faults': { type: 'string' },
      's3-endpoint': { type: 'string', default: process.env.S3_ENDPOINT },
      'dynamodb-endpoint': { type: 'string', default: process.env.DYNAMODB_ENDPOINT },
      'iam-report': { type: 'string' },
      'logs-to-stderr': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    cdkOut: values['cdk-out'],
    stackName: values.stack,
    dataDir: values.data,
    port: parsePort('--port', values.port),
    s3Port: parsePort('--s3-port', values['s3-port']),
    dynamodbPort: parsePort('--dynamodb-port', values['dynamodb-port']),
    sqsPort: parsePort('--sqs-port', values['sqs-port']),
    oidcPort: parsePort('--oidc-port', values['oidc-port']),
    apiPort: parsePort('--api-port', values['api-port']),
    websocket: {
      idleMilliseconds: parseSeconds('--websocket-idle', values['websocket-idle']),
      lifetimeMilliseconds: parseSeconds('--websocket-lifetime', values['websocket-lifetime']),
      faults: parseFaults(values['websocket-faults']),
    },
    sqs: { disorder: parseDisorder(values['sqs-faults']) },
    dynamodb: { streamDisorder: parseStreamDisorder(values['stream-faults']) },
    s3Endpoint: values['s3-endpoint'],
    dynamodbEndpoint: values['dynamodb-endpoint'],
    iamReport: values['iam-report'],
    logDir: values['logs-to-stderr'] ? false : undefined,
  };
}

function parsePort(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UserError(`${flag} must be 0 to 65535, got ${text}`);
  return port;
}

/** Returns milliseconds. */
function parseSeconds(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || seconds === 0 || seconds > 1_000_000)
    throw new UserError(`${flag} must be a number of seconds above 0, got ${text}`);
  return seconds * 1000;
}

/** What the program that contains the emulator decides. */
export interface Embedding {
  /** Path at which WebSocket handshakes are accepted. Default: `/{stage}`, as in AWS. */
  readonly websocketPath?: string;
  /** Heading of the sign-in page. Default: `Sign in`. */
  readonly signInTitle?: string;
  /** Prints the addresses once everything runs. */
  announce(runtime: LocalRuntime, options: LocalOptions): Promise<void>;
}

/** Runs a stack until SIGINT, SIGTERM or SIGHUP. */
export async function runCommand(argv: readonly string[], embedding: Embedding): Promise<void> {
  try {
    await runUntilStopped(argv, embedding);
  } catch (error) {
    fail(error);
  }
}

async function runUntilStopped(argv: readonly string[], embedding: Embedding): Promise<void> {
  // The time zone of Lambda. Worker threads take it from the process, not from their environment.
  process.env.TZ = 'UTC';
  // Other users of the machine cannot read the files that this process and the engine write.
  process.umask(0o077);
  const flags = parseFlags(argv);
  if (flags === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const { websocketPath: path, signInTitle } = embedding;
  const options = { ...flags, signInTitle, websocket: { ...flags.websocket, path } };
  const runtime = await startLocal(options);
  let isStopping = false;
  const stop = () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    setTimeout(() => process.exit(1), STOP_TIMEOUT).unref();
    runtime.stop().then(() => process.exit(0), fail);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  await embedding.announce(runtime, options);
}

/** Prints an error of the user as one line, any other with its stack. */
function fail(error: unknown): void {
  const isUserError =
    error instanceof UserError ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  const text = isUserError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
  if (!isUserError) process.exit(1);
}
