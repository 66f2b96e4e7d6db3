/** The command line of the emulator: runs a stack until a signal stops it. */

import { UserError } from '../errors/user-error';
import type { LocalOptions } from '../runtime/options';
import { type LocalRuntime, startLocal } from '../runtime/runtime';
import { parseStreamDisorder } from '../services/dynamodb/streams/disorder';
import { parseDisorder } from '../services/sqs/disorder';
import { parseFaults } from '../services/websocket/faults';
import { FlagError, type FlagValues, parseFlags, usage } from './flags.cjs';

/** The data folder without `--data`. */
export const DEFAULT_DATA = '.emulated';

/**
 * Milliseconds within which further signals count as the first one: Ctrl-C reaches this process
 * from the terminal and from npm. A later one ends the process at once.
 */
const SAME_SIGNAL = 1_000;

/** Milliseconds after which a stop that has not finished ends this process. */
const STOP_TIMEOUT = 10_000;

/** Throws FlagError and UserError. */
function optionsOf(flags: FlagValues): LocalOptions {
  const milliseconds = (seconds?: number) => (seconds === undefined ? undefined : seconds * 1000);
  return {
    cdkOut: flags['cdk-out'] ?? 'cdk.out',
    stackName: flags.stack,
    dataDir: flags.data ?? DEFAULT_DATA,
    port: flags.port,
    s3Port: flags['s3-port'],
    dynamodbPort: flags['dynamodb-port'],
    sqsPort: flags['sqs-port'],
    oidcPort: flags['oidc-port'],
    apiPort: flags['api-port'],
    lambda: { accountConcurrency: flags['lambda-concurrency'] },
    websocket: {
      idleMilliseconds: milliseconds(flags['websocket-idle']),
      lifetimeMilliseconds: milliseconds(flags['websocket-lifetime']),
      faults: parseFaults(flags['websocket-faults']),
    },
    sqs: { disorder: parseDisorder(flags['sqs-faults']) },
    dynamodb: { streamDisorder: parseStreamDisorder(flags['stream-faults']) },
    streams: { pollInterval: flags['stream-poll'] },
    s3Endpoint: flags['s3-endpoint'] ?? process.env.S3_ENDPOINT,
    dynamodbEndpoint: flags['dynamodb-endpoint'] ?? process.env.DYNAMODB_ENDPOINT,
    iamReport: flags['iam-report'],
    logDir: flags['logs-to-stderr'] === true ? false : undefined,
  };
}

/** Options of the program that contains the emulator. */
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
  if (flags.help === true) {
    process.stdout.write(usage());
    return;
  }
  const { websocketPath: path, signInTitle } = embedding;
  const given = optionsOf(flags);
  const options = { ...given, signInTitle, websocket: { ...given.websocket, path } };
  const runtime = await startLocal(options);
  let stoppingSince: number | undefined;
  const stop = () => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > SAME_SIGNAL) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    setTimeout(() => process.exit(1), STOP_TIMEOUT).unref();
    runtime.stop().then(() => {
      process.stdout.write(`stopped; the data stays in ${options.dataDir}\n`);
      process.exit(0);
    }, fail);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  await embedding.announce(runtime, options);
}

/** Prints an error of the user as one line, any other with its stack. */
function fail(error: unknown): void {
  const isUserError = error instanceof UserError || error instanceof FlagError;
  const text = isUserError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
  if (!isUserError) process.exit(1);
}
