/** Runs a synthesized stack on one machine. emulator/README.md lists what is emulated. */
import { resolve } from 'node:path';
import { localAddresses, storeAddresses } from './aws-addresses';
import { DataFolder } from './data-folder';
import { ensureExternalBuckets } from './external-s3';
import { startGateways } from './gateways';
import type { Credentials, Iam } from './iam/iam';
import { openIam } from './iam/open-iam';
import { parsePolicy } from './iam/policies';
import { later } from './later';
import { withLocalAddresses } from './local-addresses';
import type { LocalOptions } from './options';
import { startDynamoDb } from './services/dynamodb/dynamodb';
import { tableDefinitions } from './services/dynamodb/table-definition';
import { startEventBuses } from './services/events/event-buses';
import { startEventSourceMappings } from './services/events/event-source-mappings';
import { createNotifications } from './services/events/notifications';
import type { S3Event } from './services/events/s3-event';
import { startSchedules } from './services/events/schedules';
import { startLambdaEndpoint } from './services/lambda/endpoint';
import type { Invoker } from './services/lambda/invoker';
import { type LambdaService, startLambda } from './services/lambda/lambda';
import { bucketsOfStack, startS3 } from './services/s3/s3';
import { queueDefinitions } from './services/sqs/queue-definition';
import { type Sqs, startSqs } from './services/sqs/sqs';
import { type SignIn, startSignIn } from './sign-in';
import { loadStack } from './template/assembly';
import { refuseUnsupported } from './template/check';
import { isRecord } from './template/json';
import type { ResolvedStack } from './template/model';
import { resolveStack } from './template/resolve-stack';
import { UserError } from './user-error';

export interface Endpoints {
  readonly s3: string;
  readonly dynamodb: string;
  readonly lambda: string;
  /** Absent when the stack has no queues. */
  readonly sqs?: string;
  /** Absent when the stack has neither buses nor rules for events. */
  readonly events?: string;
  /** @connections of the WebSocket API, with its stage. Absent when the stack has none. */
  readonly connections?: string;
}

export interface LocalRuntime {
  /** `http://127.0.0.1:PORT`, the root of the stage. */
  readonly baseUrl: string;
  /** `ws://127.0.0.1:PORT/{path}`. Absent when the stack has no WebSocket API. */
  readonly websocketUrl?: string;
  /** Roots of the stages of the stack's other REST APIs, by logical id. */
  readonly apis: Readonly<Record<string, string>>;
  readonly endpoints: Endpoints;
  /** The issuer in place of the stack's user pool. Absent when the stack has none. */
  readonly signIn?: SignIn;
  readonly stack: ResolvedStack;
  /** The stack's outputs by name. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly iam: Iam;
  readonly lambda: LambdaService;
  /** Clears the cache of authorizer results, as FlushStageAuthorizersCache does. */
  flushAuthorizerCache(): void;
  /** Stops everything and unlocks the data folder. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts every service of the stack. Throws UserError for errors that the user can correct (an
 * unsupported resource, a missing permission, a port that is taken, a data folder in use), after it
 * has stopped what was started.
 */
export async function startLocal(options: LocalOptions): Promise<LocalRuntime> {
  const stack = resolveStack(loadStack(resolve(options.cdkOut), options.stackName));
  refuseUnsupported(stack);
  const folder = DataFolder.open(resolve(options.dataDir));
  const undo: (() => Promise<void>)[] = [async () => folder.close()];
  const stopAll = async () => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  try {
    const parts = await startServices(stack, folder, options, undo);
    let stopping: Promise<void> | undefined;
    const runtime: LocalRuntime = {
      ...parts,
      outputs: parts.stack.outputs,
      stop: () => {
        stopping ??= stopAll();
        return stopping;
      },
    };
    folder.write('endpoints.json', describe(runtime));
    return runtime;
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** Starts the services in the order of their dependencies; `undo` receives how to stop each. */
async function startServices(
  synthesized: ResolvedStack,
  folder: DataFolder,
  options: LocalOptions,
  undo: (() => Promise<void>)[],
): Promise<Omit<LocalRuntime, 'outputs' | 'stop'>> {
  const { iam, close } = openIam(synthesized, folder.seed(), options.iamReport);
  undo.push(async () => close());
  const sqs = await openSqs(synthesized, folder, options, iam);
  undo.push(async () => sqs?.stop());
  const logDir = options.logDir === false ? undefined : (options.logDir ?? folder.file('logs'));
  const invoker = later<Invoker>();
  const gateways = await startGateways({
    stack: synthesized,
    iam,
    invoker: invoker.value,
    port: options.port ?? 7070,
    otherPort: options.apiPort ?? 7080,
    logDir,
    websocket: options.websocket,
  });
  undo.push(() => gateways.stop());
  const { rest, others, websocket } = gateways;
  const addresses = localAddresses(synthesized, sqs, gateways);
  const signIn = await startSignIn({
    stack: synthesized,
    addresses,
    dataDir: folder.file('oidc'),
    port: options.oidcPort ?? 7074,
    title: options.signInTitle,
  });
  undo.push(async () => signIn?.stop());
  const known = new Map([...addresses, ...(signIn?.addresses ?? [])]);
  const stack = withLocalAddresses(synthesized, known);
  const dynamodb = await startDynamoDb({
    ...options.dynamodb,
    tables: tableDefinitions(stack),
    dataDir: folder.file('dynamodb'),
    iam,
    region: stack.region,
    accountId: stack.accountId,
    port: options.dynamodbPort ?? 7072,
    engineEndpoint: options.dynamodbEndpoint,
  });
  undo.push(() => dynamodb.stop());

  // S3 may send events of an earlier run before the functions have started.
  const notifications = later<(event: S3Event) => Promise<void>>();
  const emit = async (event: S3Event) => (await notifications.value)(event);
  const s3 = await openS3(stack, folder, options, iam, emit);
  undo.push(() => s3.stop());
  const complete = withLocalAddresses(stack, storeAddresses(stack, s3.endpoint));
  const invocations = await startLambdaEndpoint({ stack, iam, invoker: invoker.value });
  undo.push(() => invocations.stop());
  const queues = sqs?.source;
  const buses = await startEventBuses({ stack, iam, invoker: invoker.value, queues });
  undo.push(async () => buses?.stop());
  const endpoints = {
    s3: s3.endpoint,
    dynamodb: dynamodb.endpoint,
    lambda: invocations.endpoint,
    sqs: sqs?.endpoint,
    events: buses?.endpoint,
    connections: websocket?.endpoint,
  };

  const dataDir = folder.path;
  const lambda = startLambda({
    ...options.lambda,
    stack: complete,
    iam,
    endpoints,
    dataDir,
    logDir,
  });
  undo.push(() => lambda.stop());
  invoker.resolve(lambda);
  notifications.resolve(createNotifications(stack, lambda));

  const mappings = startEventSourceMappings({
    ...options.streams,
    stack,
    iam,
    lambda,
    streams: dynamodb.streams,
    queues,
  });
  undo.push(() => stopTogether(mappings, lambda));
  const schedules = startSchedules({ stack, lambda, dataDir });
  undo.push(() => schedules.stop());
  // Stopped first, so that requests in progress finish while everything still runs.
  undo.push(() => gateways.stop());

  return {
    stack: complete,
    baseUrl: rest.baseUrl,
    websocketUrl: websocket?.localUrl,
    apis: Object.fromEntries([...others].map(([id, { baseUrl }]) => [id, baseUrl])),
    endpoints,
    signIn,
    iam,
    lambda,
    flushAuthorizerCache: () => rest.flushAuthorizerCache(),
  };
}

/** Returns undefined when the stack has no queues. */
async function openSqs(
  stack: ResolvedStack,
  folder: DataFolder,
  options: LocalOptions,
  iam: Iam,
): Promise<Sqs | undefined> {
  const queues = queueDefinitions(stack);
  if (queues.length === 0) return undefined;
  const { region, accountId } = stack;
  const dataDir = folder.file('sqs');
  const port = options.sqsPort ?? 7073;
  return startSqs({ ...options.sqs, queues, dataDir, iam, region, accountId, port });
}

/**
 * A trigger waits for its invocation, which may take minutes. Stopping the functions ends the
 * invocation, and the next run repeats it.
 */
async function stopTogether(
  mappings: { stop(): Promise<void> },
  lambda: LambdaService,
): Promise<void> {
  const stopped = mappings.stop();
  await lambda.stop();
  await stopped;
}

async function openS3(
  stack: ResolvedStack,
  folder: DataFolder,
  options: LocalOptions,
  iam: Iam,
  emit: (event: S3Event) => Promise<void>,
): Promise<{ readonly endpoint: string; stop(): Promise<void> }> {
  const { region } = stack;
  const buckets = bucketsOfStack(stack).map((bucket) => ({
    ...bucket,
    policy: bucket.policy && parsePolicy(bucket.policy, `bucket policy of ${bucket.name}`),
  }));
  const { s3Endpoint: endpoint } = options;
  if (endpoint !== undefined && endpoint !== '') {
    const names = buckets.map(({ name }) => name);
    await ensureExternalBuckets({ endpoint, region, buckets: names, credentials: iam.root });
    return { endpoint, stop: async () => undefined };
  }
  const port = options.s3Port ?? 7071;
  try {
    return await startS3({ buckets, dataDir: folder.file('s3'), iam, region, port, emit });
  } catch (error) {
    if (!isRecord(error) || error.code !== 'EADDRINUSE') throw error;
    throw new UserError(`port ${port} for S3 is taken`, { cause: error });
  }
}

/** The content of endpoints.json, with which scripts call the services as the developer. */
function describe({ stack, outputs, iam, ...runtime }: LocalRuntime): string {
  const { baseUrl, websocketUrl, apis, endpoints, signIn } = runtime;
  const { region } = stack;
  const credentials: Credentials = iam.root;
  const addresses = { baseUrl, websocketUrl, apis, endpoints, signIn };
  return `${JSON.stringify({ ...addresses, region, outputs, credentials }, null, 2)}\n`;
}
