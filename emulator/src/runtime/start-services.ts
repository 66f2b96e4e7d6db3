/** Starts the services of a stack in the order of their dependencies. */

import type { Iam } from '../iam/iam';
import { openIam } from '../iam/open-iam';
import { parsePolicy } from '../iam/policies';
import { type DynamoDb, startDynamoDb } from '../services/dynamodb/dynamodb';
import { noteOnOtherUsers } from '../services/dynamodb/engine/other-users';
import { tableDefinitions } from '../services/dynamodb/tables/table-definition';
import { startEventBuses } from '../services/events/event-buses';
import { startEventSourceMappings } from '../services/events/event-source-mappings';
import { createNotifications } from '../services/events/notifications';
import type { S3Event } from '../services/events/s3-event';
import { startSchedules } from '../services/events/schedules';
import { startLambdaEndpoint } from '../services/lambda/endpoint';
import type { Endpoints } from '../services/lambda/function-configuration';
import type { Invoker } from '../services/lambda/invoker';
import { type LambdaService, startLambda } from '../services/lambda/lambda';
import { bucketsOfStack, startS3 } from '../services/s3/s3';
import type { Listening } from '../services/service';
import { queueDefinitions } from '../services/sqs/queue-definition';
import { type Sqs, startSqs } from '../services/sqs/sqs';
import type { ResolvedStack } from '../template/model';
import { localAddresses, storeAddresses, withLocalAddresses } from './addresses';
import type { DataFolder } from './data-folder';
import { deferred } from './deferred';
import { ensureExternalBuckets } from './external-s3';
import { type Gateways, startGateways } from './gateways';
import type { LocalOptions } from './options';
import { type SignIn, type StartedSignIn, startSignIn } from './sign-in';

/** The services of a stack, all of them started. */
export interface Services {
  /** `http://127.0.0.1:PORT`, the root of the stage. */
  readonly baseUrl: string;
  /** `ws://127.0.0.1:PORT/{path}`. Absent when the stack has no WebSocket API. */
  readonly websocketUrl?: string;
  /** Roots of the stages of the stack's other REST APIs, by logical id. */
  readonly apis: Readonly<Record<string, string>>;
  readonly endpoints: Endpoints;
  /** Notes for the user on this run: differences from the template, and risks. */
  readonly notes: readonly string[];
  /** The issuer in place of the stack's user pool. Absent when the stack has none. */
  readonly signIn?: SignIn;
  /** The stack with local addresses in place of those of AWS. */
  readonly stack: ResolvedStack;
  readonly iam: Iam;
  readonly lambda: LambdaService;
  /** Clears the cache of authorizer results, as FlushStageAuthorizersCache does. */
  flushAuthorizerCache(): void;
}

/** What every service is started with. */
interface Environment {
  readonly folder: DataFolder;
  readonly options: LocalOptions;
  /** Receives a function that stops each started service. The last one is called first. */
  readonly undo: (() => Promise<void>)[];
  readonly iam: Iam;
}

/** Throws when a service cannot start; `undo` then stops those that were started. */
export async function startServices(
  synthesized: ResolvedStack,
  base: Omit<Environment, 'iam'>,
): Promise<Services> {
  const { folder, options, undo } = base;
  const { iam, close } = openIam(synthesized, folder.seed(), options.iamReport);
  undo.push(async () => close());
  const environment = { ...base, iam };
  const invoker = deferred<Invoker>();
  const [front, dynamodb] = await together([
    startFront(synthesized, environment, invoker.value),
    openDynamoDb(synthesized, environment),
  ]);
  const { sqs, gateways, signIn } = front;

  // S3 may send events of an earlier run before the functions have started.
  const notifications = deferred<(event: S3Event) => Promise<void>>();
  const emit = async (event: S3Event) => (await notifications.value)(event);
  const s3 = await openS3(front.stack, environment, emit);
  undo.push(() => s3.stop());
  const stack = withLocalAddresses(front.stack, storeAddresses(front.stack, s3.endpoint));
  const started = { s3, dynamodb, sqs, gateways };
  const endpoints = await startEndpoints(front.stack, environment, invoker.value, started);

  const dataDir = folder.path;
  const logDir = logFolder(environment);
  const lambda = startLambda({ ...options.lambda, stack, iam, endpoints, dataDir, logDir });
  undo.push(() => lambda.stop());
  invoker.resolve(lambda);
  notifications.resolve(createNotifications(front.stack, lambda));
  startTriggers(front.stack, environment, { lambda, dynamodb, sqs });
  // Stopped first, so that requests in progress finish while everything still runs.
  undo.push(() => gateways.stop());

  const { rest, others, websocket } = gateways;
  return {
    stack,
    baseUrl: rest.baseUrl,
    websocketUrl: websocket?.localUrl,
    apis: Object.fromEntries([...others].map(([id, { baseUrl }]) => [id, baseUrl])),
    endpoints,
    notes: [
      ...[rest, ...others.values()].map(({ note }) => note),
      options.dynamodbEndpoint ? undefined : noteOnOtherUsers(),
    ].filter((note) => note !== undefined),
    signIn,
    iam,
    lambda,
    flushAuthorizerCache: () => rest.flushAuthorizerCache(),
  };
}

interface Front {
  readonly sqs?: Sqs;
  readonly gateways: Gateways;
  readonly signIn?: StartedSignIn;
  /** The stack with the addresses of these services. */
  readonly stack: ResolvedStack;
}

/** Starts the services whose addresses the variables of functions and the outputs contain. */
async function startFront(
  synthesized: ResolvedStack,
  environment: Environment,
  invoker: Promise<Invoker>,
): Promise<Front> {
  const { folder, options, undo, iam } = environment;
  const sqs = await openSqs(synthesized, environment);
  undo.push(async () => sqs?.stop());
  const gateways = await startGateways({
    stack: synthesized,
    iam,
    invoker,
    port: options.port ?? 7070,
    otherPort: options.apiPort ?? 7080,
    logDir: logFolder(environment),
    websocket: options.websocket,
  });
  undo.push(() => gateways.stop());
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
  return { sqs, gateways, signIn, stack: withLocalAddresses(synthesized, known) };
}

/** Tables contain no addresses, so their engine starts beside the services that do. */
async function openDynamoDb(
  stack: ResolvedStack,
  { folder, options, undo, iam }: Environment,
): Promise<DynamoDb> {
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
  return dynamodb;
}

/**
 * Waits for both, so that what has started can be stopped, then throws the first failure of them.
 */
async function together<A, B>([first, second]: [Promise<A>, Promise<B>]): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
}

/** Starts the endpoints of Lambda and of the event buses. Returns the endpoints of all services. */
async function startEndpoints(
  stack: ResolvedStack,
  { undo, iam }: Environment,
  invoker: Promise<Invoker>,
  started: {
    readonly s3: Listening;
    readonly dynamodb: DynamoDb;
    readonly sqs?: Sqs;
    readonly gateways: Gateways;
  },
): Promise<Endpoints> {
  const { s3, dynamodb, sqs, gateways } = started;
  const invocations = await startLambdaEndpoint({ stack, iam, invoker });
  undo.push(() => invocations.stop());
  const buses = await startEventBuses({ stack, iam, invoker, queues: sqs?.source });
  undo.push(async () => buses?.stop());
  return {
    s3: s3.endpoint,
    dynamodb: dynamodb.endpoint,
    lambda: invocations.endpoint,
    sqs: sqs?.endpoint,
    events: buses?.endpoint,
    connections: gateways.websocket?.endpoint,
  };
}

/** Starts what invokes functions by itself: event source mappings and schedules. */
function startTriggers(
  stack: ResolvedStack,
  { folder, options, undo, iam }: Environment,
  services: { readonly lambda: LambdaService; readonly dynamodb: DynamoDb; readonly sqs?: Sqs },
): void {
  const { lambda, dynamodb, sqs } = services;
  const mappings = startEventSourceMappings({
    ...options.streams,
    stack,
    iam,
    lambda,
    streams: dynamodb.streams,
    queues: sqs?.source,
  });
  undo.push(() => stopTogether(mappings, lambda));
  const schedules = startSchedules({ stack, lambda, dataDir: folder.path });
  undo.push(() => schedules.stop());
}

/** Returns undefined when the stack has no queues. */
async function openSqs(
  stack: ResolvedStack,
  { folder, options, iam }: Environment,
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
  { folder, options, iam }: Environment,
  emit: (event: S3Event) => Promise<void>,
): Promise<Listening> {
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
  return startS3({ buckets, dataDir: folder.file('s3'), iam, region, port, emit });
}

/** Returns undefined when functions log to standard error. */
function logFolder({ folder, options }: Environment): string | undefined {
  return options.logDir === false ? undefined : (options.logDir ?? folder.file('logs'));
}
