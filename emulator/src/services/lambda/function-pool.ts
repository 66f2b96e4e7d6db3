import { availableParallelism } from 'node:os';
import { ExecutionEnvironment, type Invocation, type Lifecycle } from './execution-environment';
import type { FunctionConfiguration } from './function-configuration';
import type { FunctionLog } from './function-log';

export interface PoolOptions {
  /** Maximum number of execution environments. */
  readonly maxEnvironments: number;
  /** Milliseconds after which an idle environment ends. */
  readonly idleTimeout: number;
  /** Milliseconds for which the credentials of an environment are valid. Default: 12 hours. */
  readonly credentialLife?: number;
}

/**
 * Maximum number of waiting invocations. AWS would have scaled out or throttled earlier.
 */
const MAX_QUEUED = 1000;
/**
 * Number of environments that start without delay when all are busy. More environments than
 * processors only use memory, 20 MB each.
 */
const PROMPT = availableParallelism();
/**
 * Milliseconds without a free environment after which one more starts: the busy ones may wait for a
 * slow client.
 */
const STALLED_MS = 250;

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

  /** Invocations that run or wait for an environment. */
  get running(): number {
    return this.all.size - this.starting - this.idle.length + this.queue.length;
  }

  /** Returns false when too many invocations wait already. */
  submit(invocation: Invocation): boolean {
    if (this.closed || this.queue.length >= MAX_QUEUED) return false;
    // Uses the most recent environment, so that the others become idle and end.
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
    this.log.close();
  }

  /** `stalled`: permits one more than there are processors. */
  private scaleOut(stalled = false): void {
    const { maxEnvironments } = this.options;
    const wanted = Math.min(this.queue.length - this.starting, maxEnvironments - this.all.size);
    const now = Math.min(wanted, Math.max(PROMPT - this.all.size, stalled ? 1 : 0));
    for (let count = 0; count < now; count++) this.start();
    if (wanted > now) this.watch();
  }

  /** Each environment that becomes free restarts the timer. */
  private watch(): void {
    this.stalled ??= setTimeout(() => {
      this.stalled = undefined;
      // An environment that is loading will take invocations.
      if (this.starting > 0) this.watch();
      else this.scaleOut(true);
    }, STALLED_MS);
  }

  private start(): void {
    let loading = true;
    const loaded = () => {
      if (loading) this.starting--;
      loading = false;
    };
    this.starting++;
    const lifecycle: Lifecycle = {
      onFree: (free) => {
        // A new environment takes at least one invocation.
        const isUsed = !loading;
        loaded();
        if (isUsed && free.isSpent) this.retire(free);
        else this.next(free);
      },
      onGone: (gone, brokenBy) => {
        loaded();
        this.remove(gone);
        // The waiting invocations fail with the error of loading; the next one tries again.
        if (brokenBy !== undefined) this.queue.shift()?.failed(brokenBy);
        if (!this.closed) this.scaleOut();
      },
    };
    const { credentialLife } = this.options;
    const environment = new ExecutionEnvironment(
      this.configuration,
      this.log,
      lifecycle,
      credentialLife,
    );
    this.all.add(environment);
  }

  private next(environment: ExecutionEnvironment): void {
    const waiting = this.queue.shift();
    this.stalled?.refresh();
    if (waiting === undefined) this.idle.push(environment);
    else environment.invoke(waiting);
  }

  private remove(environment: ExecutionEnvironment): void {
    this.all.delete(environment);
    const index = this.idle.indexOf(environment);
    if (index >= 0) this.idle.splice(index, 1);
  }

  private endIdle(): void {
    const limit = Date.now() - this.options.idleTimeout;
    const ending = this.idle.filter(({ idleSince, isSpent }) => idleSince < limit || isSpent);
    for (const environment of ending) this.retire(environment);
  }

  private retire(environment: ExecutionEnvironment): void {
    this.remove(environment);
    void environment.close();
    if (!this.closed) this.scaleOut();
  }
}

const SHUT_DOWN = JSON.stringify({
  errorType: 'Runtime.ExitError',
  errorMessage: 'Error: the emulator was stopped',
});
