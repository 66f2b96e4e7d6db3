import { join } from 'node:path';
import { numberProperty, resourcesOfType, textProperty } from '../../template/resources';
import type { Started } from '../service';
import { type AsyncEvent, AsyncQueue, type Attempt } from './async-queue';
import { AccountConcurrency } from './concurrency';
import type { Invocation } from './execution-environment';
import { addressesOf } from './function-addresses';
import {
  configureFunction,
  type FunctionConfiguration,
  type FunctionSurroundings,
} from './function-configuration';
import { FunctionLog } from './function-log';
import { FunctionPermissions } from './function-permissions';
import { FunctionPool } from './function-pool';
import {
  type InvokeResult,
  type Invoker,
  type InvokeSource,
  LambdaServiceError,
  type StreamResult,
} from './invoker';
import { invocationsIn, MAX_INVOCATIONS, nextHeader } from './lineage';
import { BufferedOutcome, StreamedOutcome } from './outcomes';
import { isLarger, type Payload } from './payload';

export interface LambdaOptions extends FunctionSurroundings {
  /** Absolute folder for the queue of asynchronous events. */
  readonly dataDir: string;
  /** Absolute folder of `<function name>.log`. Absent: standard error. */
  readonly logDir?: string;
  /**
   * Maximum number of execution environments of a function. Above it invocations wait, where AWS
   * would start another. Default 64.
   */
  readonly maxEnvironments?: number;
  /** Concurrent executions of the account. Default 1,000; new accounts have 10. */
  readonly accountConcurrency?: number;
  /** Milliseconds after which an idle environment ends. Default 2 minutes. */
  readonly idleTimeout?: number;
  /** Milliseconds for which the credentials of an environment are valid. Default 12 hours. */
  readonly credentialLife?: number;
  /**
   * Milliseconds before each retry of a failed asynchronous event. Default 1 minute, then 2, as
   * AWS.
   */
  readonly asyncRetryDelays?: readonly number[];
}

/**
 * Bytes; https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html (the exact figure
 * is measured).
 */
const MAX_REQUEST = 6_291_456;
const MAX_ASYNC_REQUEST = 1024 * 1024;

/** A function under one of its addresses: itself, its only version, or an alias. */
interface Target {
  readonly function: LocalFunction;
  readonly invokedArn: string;
  /** The same with the function's name in place of its ARN. */
  readonly invokedName: string;
}

interface LocalFunction {
  readonly configuration: FunctionConfiguration;
  readonly pool: FunctionPool;
  readonly log: FunctionLog;
  readonly maxRetries: number;
}

export interface LambdaService extends Invoker, Started {
  /**
   * Reports whether the service may invoke the function. S3 checks it when a notification is
   * configured.
   */
  permits(functionArn: string, source: InvokeSource): boolean;
  /** By ARN or name. Throws LambdaServiceError when there is no such function. */
  describe(nameOrArn: string): { readonly functionArn: string; readonly roleArn: string };
  /**
   * Reports whether Lambda stops the next invocation in that chain of requests. Then writes a line
   * to the function's log and to standard error.
   */
  isLoop(functionArn: string, traceHeader: string | undefined): boolean;
  /** Writes a line about an event into the function's log, outside of an invocation. */
  report(functionArn: string, message: string): void;
}

/**
 * Runs the functions of the stack in worker threads. Loads nothing before the first invocation.
 * Throws UserError for a function that cannot be emulated.
 */
export function startLambda(options: LambdaOptions): LambdaService {
  return new Lambda(options);
}

class Lambda implements LambdaService {
  /** By ARN and by name, with and without qualifier. */
  private readonly targets = new Map<string, Target>();
  private readonly permissions: FunctionPermissions;
  private readonly queue: AsyncQueue;
  private readonly concurrency: AccountConcurrency;
  private stopping: Promise<void> | undefined;

  constructor(options: LambdaOptions) {
    this.permissions = new FunctionPermissions(options.stack);
    // Checks all functions before the first opens its log.
    const resources = resourcesOfType(options.stack, 'AWS::Lambda::Function');
    const checked = resources.map((resource) => {
      const configuration = configureFunction(resource, options);
      return { configuration, addresses: addressesOf(options.stack, configuration) };
    });
    this.concurrency = new AccountConcurrency(
      checked.map(({ configuration }) => configuration),
      options.accountConcurrency,
    );
    const retries = retriesByFunction(options);
    for (const { configuration, addresses } of checked) {
      const log = new FunctionLog(configuration, options.logDir);
      const { maxEnvironments = 64, idleTimeout = 120_000, credentialLife } = options;
      const limits = { maxEnvironments, idleTimeout, credentialLife };
      const pool = new FunctionPool(configuration, log, limits);
      this.concurrency.add(configuration, pool);
      const { functionArn, functionName } = configuration;
      const maxRetries = retries.get(functionArn) ?? retries.get(functionName) ?? 2;
      const local = { configuration, pool, log, maxRetries };
      for (const address of addresses) {
        const target = { ...address, function: local };
        this.targets.set(address.invokedArn, target);
        this.targets.set(address.invokedName, target);
      }
    }
    this.queue = new AsyncQueue({
      folder: join(options.dataDir, 'async-events'),
      retryDelays: options.asyncRetryDelays ?? [60_000, 120_000],
      attempt: (event) => this.attempt(event),
      onDiscard: (event) => this.report(event.functionArn, `event discarded: ${event.payload}`),
    });
    this.queue.resume();
  }

  async invoke(
    arn: string,
    payload: Payload,
    source?: InvokeSource,
    traceHeader?: string,
  ): Promise<InvokeResult> {
    const target = this.admit(arn, payload, MAX_REQUEST, source);
    if (this.isLoop(arn, traceHeader)) {
      throw new LambdaServiceError(
        'RecursiveInvocationException',
        `Lambda has detected ${arn} being invoked in a recursive loop with other AWS resources and stopped it.`,
      );
    }
    const header = nextHeader(traceHeader, target.function.configuration.functionArn);
    const outcome = new BufferedOutcome(payload, target.invokedArn, header);
    this.submit(target, outcome);
    return outcome.response;
  }

  async invokeStream(arn: string, payload: Payload, source?: InvokeSource): Promise<StreamResult> {
    const target = this.admit(arn, payload, MAX_REQUEST, source);
    const header = nextHeader(undefined, target.function.configuration.functionArn);
    const outcome = new StreamedOutcome(payload, target.invokedArn, header);
    this.submit(target, outcome);
    return outcome.response;
  }

  async invokeAsync(
    arn: string,
    payload: string,
    source?: InvokeSource,
    traceHeader?: string,
  ): Promise<void> {
    const target = this.admit(arn, payload, MAX_ASYNC_REQUEST, source);
    const { maxRetries } = target.function;
    await this.queue.add({ functionArn: target.invokedArn, payload, maxRetries, traceHeader });
  }

  permits(functionArn: string, source: InvokeSource): boolean {
    const { invokedArn, invokedName } = this.find(functionArn);
    return this.permissions.allow([invokedArn, invokedName], source);
  }

  describe(nameOrArn: string): { readonly functionArn: string; readonly roleArn: string } {
    return this.find(nameOrArn).function.configuration;
  }

  isLoop(functionArn: string, traceHeader: string | undefined): boolean {
    const { configuration, log } = this.find(functionArn).function;
    const { allowsLoops, functionArn: arn, functionName } = configuration;
    if (allowsLoops || invocationsIn(traceHeader, arn) < MAX_INVOCATIONS) return false;
    const message =
      `${functionName} was invoked ${MAX_INVOCATIONS} times in one chain of requests, so Lambda stops ` +
      'the next invocation (RecursiveLoop: Allow permits it)';
    process.stderr.write(`lambda: ${message}\n`);
    log.error(undefined, message);
    return true;
  }

  report(functionArn: string, message: string): void {
    this.find(functionArn).function.log.error(undefined, message);
  }

  stop(): Promise<void> {
    this.stopping ??= this.close();
    return this.stopping;
  }

  private async close(): Promise<void> {
    const closing = this.queue.close();
    const pools = new Set([...this.targets.values()].map((target) => target.function.pool));
    await Promise.all([...pools].map((pool) => pool.close()));
    await closing;
  }

  private find(nameOrArn: string): Target {
    const found = this.targets.get(nameOrArn);
    if (found === undefined) {
      throw new LambdaServiceError('ResourceNotFoundException', `Function not found: ${nameOrArn}`);
    }
    return found;
  }

  private admit(
    arn: string,
    payload: Payload,
    maxBytes: number,
    source: InvokeSource | undefined,
  ): Target {
    const found = this.find(arn);
    if (source !== undefined && !this.permits(arn, source)) {
      throw new LambdaServiceError(
        'AccessDeniedException',
        `${source.service} is not authorized to perform: lambda:InvokeFunction on resource: ${arn} ` +
          `because no resource-based policy allows it for ${source.arn}`,
      );
    }
    if (isLarger(payload, maxBytes)) {
      throw new LambdaServiceError(
        'RequestTooLargeException',
        `Request must be smaller than ${maxBytes} bytes for the InvokeFunction operation`,
      );
    }
    return found;
  }

  private submit(target: Target, invocation: Invocation): void {
    const { configuration, pool } = target.function;
    if (this.concurrency.admits(configuration, pool) && pool.submit(invocation)) return;
    throw new LambdaServiceError('TooManyRequestsException', 'Rate Exceeded.');
  }

  private async attempt(event: AsyncEvent): Promise<Attempt> {
    try {
      const { functionArn, payload, traceHeader } = event;
      const { functionError } = await this.invoke(functionArn, payload, undefined, traceHeader);
      return functionError === undefined ? 'done' : 'failed';
    } catch (error) {
      if (!(error instanceof LambdaServiceError)) throw error;
      if (error.code === 'RecursiveInvocationException') return 'stopped';
      return error.code === 'TooManyRequestsException' ? 'throttled' : 'failed';
    }
  }
}

/** From AWS::Lambda::EventInvokeConfig, by function name or ARN. */
function retriesByFunction({ stack }: LambdaOptions): ReadonlyMap<string, number> {
  return new Map(
    resourcesOfType(stack, 'AWS::Lambda::EventInvokeConfig').map((config) => [
      textProperty(config, 'FunctionName'),
      numberProperty(config, 'MaximumRetryAttempts', 2),
    ]),
  );
}
