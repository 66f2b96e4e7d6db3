/** The composition root of deliver: environment in, handler out. No logic. */

import { BusTarget } from '../adapters/bus-target';
import { createDynamoClient, createSqsClient } from '../adapters/clients';
import { DynamoBuckets } from '../adapters/dynamo-buckets';
import { DynamoChangeLog } from '../adapters/dynamo-change-log';
import { DynamoPositions } from '../adapters/dynamo-positions';
import { FunctionTarget } from '../adapters/function-target';
import { LambdaErrands } from '../adapters/lambda-errands';
import { QueueTarget } from '../adapters/queue-target';
import { systemClock, systemIds } from '../adapters/system';
import { createEventBridgeClient, createLambdaClient } from '../adapters/target-clients';
import { ENV, optionalEnv, requireEnv } from '../env';
import { log } from '../http/log';
import { createMeter, reporting } from '../meter';
import { createDeliver } from './app';
import { parseTargets, type TargetSettings } from './config';

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
    return { ...settings, span: 100, patience, send: told.send.bind(told) };
  }
  const told =
    kind === 'queue'
      ? new QueueTarget(sqs, address, systemClock)
      : new BusTarget(eventBridge, address, systemClock);
  return { ...settings, span: 1, patience: REQUEST_MS, send: told.send.bind(told) };
}

const app = createDeliver({
  targets: parseTargets(requireEnv(ENV.changeTargets)).map(target),
  buckets: new DynamoBuckets(dynamo, requireEnv(ENV.bucketsTable)),
  changeLog: new DynamoChangeLog(dynamo, requireEnv(ENV.changesTable)),
  positions: new DynamoPositions(dynamo, requireEnv(ENV.positionsTable)),
  errands: new LambdaErrands(createLambdaClient(3_000), requireEnv(ENV.functionName)),
  clock: systemClock,
  ids: systemIds,
  log,
  meter,
});

export const handler = reporting(meter, app);
