/** The targets function: notifies the targets of `onChange`. */
import { createSqsClient } from '../shared/aws-clients';
import { HttpTables } from '../shared/dynamodb/tables/http-tables';
import { ENV, requireEnv } from '../shared/env';
import { buckets, changeLog, openStores, targetCursors } from '../shared/stores';
import { systemClock, systemIds } from '../shared/system';
import { createMeter, reporting } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { createTargets } from './app';
import { createTarget } from './create-target';
import { createEventBridgeClient, createLambdaClient } from './target-clients';
import { parseTargets } from './target-settings';
import { LambdaTargetTasks } from './target-tasks';

const meter = createMeter();
const clients = {
  sqs: createSqsClient(),
  eventBridge: createEventBridgeClient(),
  clock: systemClock,
};

const notify = createTargets({
  targets: parseTargets(requireEnv(ENV.changeTargets)).map((one) => createTarget(clients, one)),
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
