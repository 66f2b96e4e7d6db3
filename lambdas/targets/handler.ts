/** The targets function: notifies the targets of `onChange`. */
import type { Target } from '../../core/targets/ports';
import { createSqsClient } from '../shared/aws-clients';
import { HttpTables } from '../shared/dynamodb/tables/http-tables';
import { ENV, requireEnv } from '../shared/env';
import { buckets, changeLog, openStores, targetCursors } from '../shared/stores';
import { systemClock, systemIds } from '../shared/system';
import { createMeter, reporting } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { createTargets } from './app';
import { BusTarget } from './bus-target';
import { FunctionTarget } from './function-target';
import { QueueTarget } from './queue-target';
import { createEventBridgeClient, createLambdaClient } from './target-clients';
import { parseTargets, type TargetSettings } from './target-settings';
import { LambdaTargetTasks } from './target-tasks';

const meter = createMeter();
const sqs = createSqsClient();
const eventBridge = createEventBridgeClient();

/** Added to a function's own timeout, for its start and the network. */
const START_MS = 20_000;
const REQUEST_MS = 30_000;

function createTarget({ kind, address, timeout = 60, ...settings }: TargetSettings): Target {
  if (kind === 'function') {
    const timeoutMs = timeout * 1000 + START_MS;
    const target = new FunctionTarget(createLambdaClient(timeoutMs), address);
    return { ...settings, maxBatchSize: 100, timeoutMs, send: target.send.bind(target) };
  }
  const target =
    kind === 'queue'
      ? new QueueTarget(sqs, address, systemClock)
      : new BusTarget(eventBridge, address, systemClock);
  return { ...settings, maxBatchSize: 1, timeoutMs: REQUEST_MS, send: target.send.bind(target) };
}

const notify = createTargets({
  targets: parseTargets(requireEnv(ENV.changeTargets)).map(createTarget),
  ...openStores(
    { env: process.env, dynamo: new HttpTables() },
    { buckets, changeLog, targetCursors },
  ),
  targetTasks: new LambdaTargetTasks(createLambdaClient(3_000), requireEnv(ENV.functionName)),
  clock: systemClock,
  ids: systemIds,
  log,
  meter,
});

export const handler = reporting(meter, notify);
