/** The composition root of deliver: environment in, handler out. No logic. */

import { createDynamoClient, createSqsClient } from '../shared/aws-clients';
import { DynamoBuckets } from '../shared/dynamodb/buckets';
import { DynamoChangeLog } from '../shared/dynamodb/change-log';
import { DynamoTargetCursors } from '../shared/dynamodb/target-cursors';
import { ENV, optionalEnv, requireEnv } from '../shared/env';
import { systemClock, systemIds } from '../shared/system';
import { createMeter, reporting } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { createTargets } from './app';
import { BusTarget } from './bus-target';
import { FunctionTarget } from './function-target';
import { QueueTarget } from './queue-target';
import { createEventBridgeClient, createLambdaClient } from './target-clients';
import { parseTargets, type TargetSettings } from './target-settings';
import { LambdaTasks } from './target-tasks';

const dynamo = createDynamoClient();
const meter = createMeter(optionalEnv(ENV.metricsNamespace), optionalEnv(ENV.metrics));
const sqs = createSqsClient();
const eventBridge = createEventBridgeClient();

/** Beyond what a function's own time limit is, for its start and the way there and back. */
const START_MS = 20_000;
const REQUEST_MS = 30_000;

function target({ kind, address, timeout = 60, ...settings }: TargetSettings) {
  if (kind === 'function') {
    const patience = timeout * 1000 + START_MS;
    const told = new FunctionTarget(createLambdaClient(patience), address);
    return { ...settings, maxBatchSize: 100, timeoutMs: patience, send: told.send.bind(told) };
  }
  const told =
    kind === 'queue'
      ? new QueueTarget(sqs, address, systemClock)
      : new BusTarget(eventBridge, address, systemClock);
  return { ...settings, maxBatchSize: 1, timeoutMs: REQUEST_MS, send: told.send.bind(told) };
}

const app = createTargets({
  targets: parseTargets(requireEnv(ENV.changeTargets)).map(target),
  buckets: new DynamoBuckets(dynamo, requireEnv(ENV.bucketsTable)),
  changeLog: new DynamoChangeLog(dynamo, requireEnv(ENV.changesTable)),
  targetCursors: new DynamoTargetCursors(dynamo, requireEnv(ENV.positionsTable)),
  targetTasks: new LambdaTasks(createLambdaClient(3_000), requireEnv(ENV.functionName)),
  clock: systemClock,
  ids: systemIds,
  log,
  meter,
});

export const handler = reporting(meter, app);
