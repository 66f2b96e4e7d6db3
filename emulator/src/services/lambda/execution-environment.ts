import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { isRecord } from '../../values/json';
import type { FunctionConfiguration } from './function-configuration';
import type { FunctionLog } from './function-log';
import type { Payload } from './payload';

/** The messages of worker.js. */
type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'broken'; readonly payload: string }
  | { readonly type: 'result' | 'failed'; readonly id: string; readonly payload: string }
  | ({ readonly type: 'chunk'; readonly id: string } & Chunk);

export interface Chunk {
  readonly contentType: string;
  readonly data: Uint8Array;
  /** The function has ended its stream. */
  readonly ended: boolean;
  /** The invocation is over. */
  readonly done: boolean;
}

/** Receives the outcome of one invocation. */
export interface Invocation {
  readonly id: string;
  readonly payload: Payload;
  /** With the qualifier of the invocation. */
  readonly invokedArn: string;
  readonly traceHeader: string;
  result(payload: string): void;
  /** `acknowledge` lets the function write that number of bytes more. */
  chunk(chunk: Chunk, acknowledge: (bytes: number) => void): void;
  failed(payload: string): void;
}

export interface Lifecycle {
  /** Called when the environment is ready for the next invocation. */
  onFree(environment: ExecutionEnvironment): void;
  /** Called when the thread has ended. `brokenBy`: the error payload when loading failed. */
  onGone(environment: ExecutionEnvironment, brokenBy?: string): void;
}

/**
 * Heap of short-lived objects in MiB. The default of 48 MiB would also retain the bodies that these
 * objects reference.
 */
const YOUNG_GENERATION = 6;

/**
 * Timeout in milliseconds for loading the code. AWS grants 10 s before loading counts as part of
 * the invocation.
 */
const INIT_TIMEOUT = 30_000;

/**
 * Milliseconds for which the credentials of an environment are valid. AWS documents no value;
 * others have measured 12 hours.
 */
const CREDENTIAL_LIFE = 12 * 3_600_000;
/** The longest timeout of a function, in milliseconds. */
const MAX_INVOCATION = 900_000;

/** A worker thread that runs one function, one invocation at a time. */
export class ExecutionEnvironment {
  private readonly worker: Worker;
  private current: Invocation | undefined;
  private timer: NodeJS.Timeout;
  private ready = false;
  private gone = false;
  private readonly credentialsEnd: number;
  /** Epoch milliseconds. */
  idleSince = Date.now();

  constructor(
    private readonly configuration: FunctionConfiguration,
    private readonly log: FunctionLog,
    private readonly lifecycle: Lifecycle,
    credentialLife = CREDENTIAL_LIFE,
  ) {
    this.credentialsEnd = Date.now() + credentialLife;
    const { functionName, handler, logsJson, memorySize, taskRoot } = configuration;
    this.worker = new Worker(join(__dirname, 'worker.js'), {
      argv: [],
      env: {
        ...configuration.environment,
        AWS_SESSION_TOKEN: configuration.sessionToken(this.credentialsEnd),
      },
      execArgv: [],
      name: functionName,
      resourceLimits: {
        maxOldGenerationSizeMb: memorySize,
        maxYoungGenerationSizeMb: YOUNG_GENERATION,
      },
      stdout: true,
      stderr: true,
      workerData: { functionName, handler, logsJson, memorySize, taskRoot, logPath: log.path },
    });
    log.attach(this.worker);
    this.timer = setTimeout(
      () => this.end(exitError('init', 'initialization timed out')),
      INIT_TIMEOUT,
    );
    this.worker.on('message', (message: FromWorker) => this.receive(message));
    this.worker.on('error', (error) => this.end(thrown(error, this.current?.id)));
    this.worker.on('exit', (code) => this.end(exitError(this.current?.id, exitReason(code))));
  }

  /** Reports whether the credentials could end during another invocation. */
  get isSpent(): boolean {
    return Date.now() + MAX_INVOCATION > this.credentialsEnd;
  }

  invoke(invocation: Invocation): void {
    const { timeoutSeconds } = this.configuration;
    this.current = invocation;
    this.timer = setTimeout(
      () => this.end(timedOut(invocation.id, timeoutSeconds)),
      timeoutSeconds * 1000,
    );
    const { id, payload, invokedArn, traceHeader } = invocation;
    const deadline = Date.now() + timeoutSeconds * 1000;
    const givenAway = typeof payload === 'string' ? [] : [payload.body.buffer];
    const message = { type: 'invoke', id, payload, invokedArn, traceHeader, deadline };
    this.worker.postMessage(message, givenAway);
  }

  /** Ends the thread, and the invocation in progress. */
  async close(): Promise<void> {
    this.end(exitError(this.current?.id, 'shut down'));
    await this.worker.terminate();
  }

  private receive(message: FromWorker): void {
    if (this.gone) return;
    switch (message.type) {
      case 'ready':
        this.ready = true;
        this.free();
        break;
      case 'broken':
        this.end(message.payload);
        break;
      case 'result':
        this.current?.result(message.payload);
        this.free();
        break;
      case 'failed':
        this.log.error(message.id, message.payload);
        this.current?.failed(message.payload);
        this.free();
        break;
      case 'chunk':
        this.current?.chunk(message, (bytes) =>
          this.worker.postMessage({ type: 'acknowledge', id: message.id, bytes }),
        );
        if (message.done) this.free();
        break;
      default:
        message satisfies never;
    }
  }

  private free(): void {
    clearTimeout(this.timer);
    this.current = undefined;
    this.idleSince = Date.now();
    this.lifecycle.onFree(this);
  }

  /** Uses the first reason: a terminated worker also exits. */
  private end(payload: string): void {
    if (this.gone) return;
    this.gone = true;
    clearTimeout(this.timer);
    void this.worker.terminate();
    const invocation = this.current;
    this.current = undefined;
    if (invocation !== undefined || !this.ready) this.log.error(invocation?.id, payload);
    invocation?.failed(payload);
    this.lifecycle.onGone(this, this.ready ? undefined : payload);
  }
}

function timedOut(id: string, seconds: number): string {
  return JSON.stringify({
    errorType: 'Sandbox.Timedout',
    errorMessage: `RequestId: ${id} Error: Task timed out after ${seconds.toFixed(2)} seconds`,
  });
}

function exitError(id: string | undefined, reason: string): string {
  return JSON.stringify({
    errorType: 'Runtime.ExitError',
    errorMessage: `RequestId: ${id} Error: Runtime exited ${reason}`,
  });
}

function exitReason(code: number): string {
  return code === 0 ? 'without providing a reason' : `with error: exit status ${code}`;
}

/**
 * The payload for an uncaught error, an unhandled rejection, or lack of memory. Node.js copies the
 * error of a thread into an object that is not an Error, so it is recognised by its shape.
 */
function thrown(error: unknown, id: string | undefined): string {
  if (!isRecord(error) || typeof error.message !== 'string') {
    return JSON.stringify({ errorType: typeof error, errorMessage: String(error), trace: [] });
  }
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return exitError(id, 'with error: signal: killed');
  const { name: errorType, message: errorMessage, stack } = error;
  const trace = typeof stack === 'string' ? stack.split('\n') : [];
  return JSON.stringify({ errorType, errorMessage, trace });
}
