import { join } from 'node:path';
import { numberProperty, resourcesOfType, textProperty } from '../../template/resources';
import type { Started } from '../service';
import { type AsyncEvent, AsyncQueue, type Attempt } from './async-queue';
import type { Invocation } from './execution-environment';
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
import { BufferedOutcome, StreamedOutcome } from './outcomes';
import { isLarger, type Payload } from './payload';

export interface LambdaOptions extends FunctionSurroundings {
  /** Absolute folder for the queue of asynchronous events. */
  readonly dataDir: string;
  /** Absolute folder of `<function name>.log`. Absent: standard error. */
  readonly logDir?: string;
  /** Execution environments of a function at a time. Default 4. */
  readonly maxEnvironments?: number;
  /** Milliseconds that an environment without work is kept. Default 2 minutes. */
  readonly idleTimeout?: number;
  /** Milliseconds before each retry of a failed asynchronous event. Default 1 minute, then 2, as AWS. */
  readonly asyncRetryDelays?: readonly number[];
}

/** Bytes; https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html (the exact figure is measured). */
const MAX_REQUEST = 6_291_456;
const MAX_ASYNC_REQUEST = 1024 * 1024;

interface LocalFunction {
  readonly configuration: FunctionConfiguration;
  readonly pool: FunctionPool;
  readonly log: FunctionLog;
  readonly maxRetries: number;
}

export interface LambdaService extends Invoker, Started {
  /** Would Lambda let this service invoke the function? S3 asks when a notification is configured. */
  permits(functionArn: string, source: InvokeSource): boolean;
  /** By ARN or name. Throws LambdaServiceError when there is no such function. */
  describe(nameOrArn: string): { readonly functionArn: string; readonly roleArn: string };
  /** A line in the function's log about what happened to an event outside of an invocation. */
  report(functionArn: string, message: string): void;
}

/** The functions of the stack, each in worker threads. Nothing is loaded before the first invocation. Throws UserError. */
export function startLambda(options: LambdaOptions): LambdaService {
  return new Lambda(options);
}

class Lambda implements LambdaService {
  /** By ARN and by name. */
  private readonly functions = new Map<string, LocalFunction>();
  private readonly permissions: FunctionPermissions;
  private readonly queue: AsyncQueue;
  private stopping: Promise<void> | undefined;

  constructor(options: LambdaOptions) {
    this.permissions = new FunctionPermissions(options.stack);
    // All are checked before the first opens its log.
    const resources = resourcesOfType(options.stack, 'AWS::Lambda::Function');
    const configurations = resources.map((resource) => configureFunction(resource, options));
    const retries = retriesByFunction(options);
    for (const configuration of configurations) {
      const log = new FunctionLog(configuration.functionName, options.logDir);
      const { maxEnvironments = 4, idleTimeout = 120_000 } = options;
      const pool = new FunctionPool(configuration, log, { maxEnvironments, idleTimeout });
      const { functionArn, functionName } = configuration;
      const maxRetries = retries.get(functionArn) ?? retries.get(functionName) ?? 2;
      const local = { configuration, pool, log, maxRetries };
      this.functions.set(functionArn, local);
      this.functions.set(functionName, local);
    }
    this.queue = new AsyncQueue({
      folder: join(options.dataDir, 'async-events'),
      retryDelays: options.asyncRetryDelays ?? [60_000, 120_000],
      attempt: (event) => this.attempt(event),
      onDiscard: (event) => this.report(event.functionArn, `event given up: ${event.payload}`),
    });
    this.queue.resume();
  }

  async invoke(arn: string, payload: Payload, source?: InvokeSource): Promise<InvokeResult> {
    const outcome = new BufferedOutcome(payload);
    this.submit(this.admit(arn, payload, MAX_REQUEST, source), outcome);
    return outcome.answer;
  }

  async invokeStream(arn: string, payload: Payload, source?: InvokeSource): Promise<StreamResult> {
    const outcome = new StreamedOutcome(payload);
    this.submit(this.admit(arn, payload, MAX_REQUEST, source), outcome);
    return outcome.answer;
  }

  async invokeAsync(arn: string, payload: string, source?: InvokeSource): Promise<void> {
    const { configuration, maxRetries } = this.admit(arn, payload, MAX_ASYNC_REQUEST, source);
    await this.queue.add({ functionArn: configuration.functionArn, payload, maxRetries });
  }

  permits(functionArn: string, source: InvokeSource): boolean {
    const { functionName } = this.find(functionArn).configuration;
    return this.permissions.allow([functionArn, functionName], source);
  }

  describe(nameOrArn: string): { readonly functionArn: string; readonly roleArn: string } {
    return this.find(nameOrArn).configuration;
  }

  report(functionArn: string, message: string): void {
    this.find(functionArn).log.error(undefined, message);
  }

  stop(): Promise<void> {
    this.stopping ??= this.close();
    return this.stopping;
  }

  private async close(): Promise<void> {
    const closing = this.queue.close();
    const functions = new Set(this.functions.values());
    await Promise.all([...functions].map(({ pool }) => pool.close()));
    await closing;
  }

  private find(nameOrArn: string): LocalFunction {
    const found = this.functions.get(nameOrArn);
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
  ): LocalFunction {
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

  private submit({ pool }: LocalFunction, invocation: Invocation): void {
    if (pool.submit(invocation)) return;
    throw new LambdaServiceError('TooManyRequestsException', 'Rate Exceeded.');
  }

  private async attempt(event: AsyncEvent): Promise<Attempt> {
    try {
      const { functionError } = await this.invoke(event.functionArn, event.payload);
      return functionError === undefined ? 'done' : 'failed';
    } catch (error) {
      if (!(error instanceof LambdaServiceError)) throw error;
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
