import { availableParallelism } from 'node:os';
import { ExecutionEnvironment, type Invocation } from './execution-environment';
import type { FunctionConfiguration } from './function-configuration';
import type { FunctionLog } from './function-log';

export interface PoolOptions {
  /** Execution environments at a time. */
  readonly maxEnvironments: number;
  /** Milliseconds that an environment without work is kept. */
  readonly idleTimeout: number;
}

/**
 * Invocations that may wait for an environment; AWS would have scaled out or throttled long before.
 */
const MAX_QUEUED = 1000;
/**
 * Environments that are started as soon as all are busy: more of them than processors only take
 * memory, 20 MB each.
 */
const PROMPT = availableParallelism();
/**
 * Milliseconds without any being free, after which another one is started all the same: they wait,
 * for a slow client say.
 */
const PATIENCE = 250;

/** The execution environments of one function. More are started only when all are busy. */
export class FunctionPool {
  private readonly idle: ExecutionEnvironment[] = [];
  private readonly all = new Set<ExecutionEnvironment>();
  private readonly queue: Invocation[] = [];
  private readonly sweeper: NodeJS.Timeout;
  private starting = 0;
  private closed = false;
  private stalled: NodeJS.Timeout | undefined;

  constructor(
    private readonly configuration: FunctionConfiguration,
    private readonly log: FunctionLog,
    private readonly options: PoolOptions,
  ) {
    this.sweeper = setInterval(() => this.endIdle(), options.idleTimeout / 2);
    this.sweeper.unref();
  }

  /** False: throttled, as AWS does at the function's reserved concurrency. */
  submit(invocation: Invocation): boolean {
    const { reservedConcurrency = Number.POSITIVE_INFINITY } = this.configuration;
    const underWay = this.all.size - this.starting - this.idle.length + this.queue.length;
    if (this.closed || underWay >= reservedConcurrency || this.queue.length >= MAX_QUEUED)
      return false;
    // The one used last: the others may then fall idle and end.
    const environment = this.idle.pop();
    if (environment !== undefined) {
      environment.invoke(invocation);
    } else {
      this.queue.push(invocation);
      this.scaleOut();
    }
    return true;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.sweeper);
    clearTimeout(this.stalled);
    for (const waiting of this.queue.splice(0)) waiting.failed(SHUT_DOWN);
    await Promise.all([...this.all].map((environment) => environment.close()));
    await this.log.close();
  }

  /** `stalled`: one more although there are as many as processors. */
  private scaleOut(stalled = false): void {
    const { maxEnvironments } = this.options;
    const wanted = Math.min(this.queue.length - this.starting, maxEnvironments - this.all.size);
    const now = Math.min(wanted, Math.max(PROMPT - this.all.size, stalled ? 1 : 0));
    for (let count = 0; count < now; count++) this.start();
    if (wanted > now) this.watch();
  }

  /** Each environment that becomes free puts the alarm off. */
  private watch(): void {
    this.stalled ??= setTimeout(() => {
      this.stalled = undefined;
      // One that is being loaded will take its share.
      if (this.starting > 0) this.watch();
      else this.scaleOut(true);
    }, PATIENCE);
  }

  private start(): void {
    let loading = true;
    const loaded = () => {
      if (loading) this.starting--;
      loading = false;
    };
    this.starting++;
    const environment = new ExecutionEnvironment(this.configuration, this.log, {
      onFree: (free) => {
        loaded();
        this.next(free);
      },
      onGone: (gone, brokenBy) => {
        loaded();
        this.forget(gone);
        // Whoever waits for a function that cannot be loaded learns why; the next one starts a new
        // try.
        if (brokenBy !== undefined) this.queue.shift()?.failed(brokenBy);
        if (!this.closed) this.scaleOut();
      },
    });
    this.all.add(environment);
  }

  private next(environment: ExecutionEnvironment): void {
    const waiting = this.queue.shift();
    this.stalled?.refresh();
    if (waiting === undefined) this.idle.push(environment);
    else environment.invoke(waiting);
  }

  private forget(environment: ExecutionEnvironment): void {
    this.all.delete(environment);
    const index = this.idle.indexOf(environment);
    if (index >= 0) this.idle.splice(index, 1);
  }

  private endIdle(): void {
    const limit = Date.now() - this.options.idleTimeout;
    for (const environment of this.idle.filter((candidate) => candidate.idleSince < limit)) {
      this.forget(environment);
      void environment.close();
    }
  }
}

const SHUT_DOWN = JSON.stringify({
  errorType: 'Runtime.ExitError',
  errorMessage: 'Error: the emulator was shut down',
});
