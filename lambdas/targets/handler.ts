/** The targets function: notifies the targets of `onChange`. */

import { systemClock, systemIds } from '../../adapters/system';
import { createDynamoClient, createSqsClient } from '../runtime/aws-clients';
import { ENV, requireEnv } from '../runtime/env';
import { buckets, changeLog, openStores, targetCursors } from '../runtime/stores';
import { createMeter, reporting } from '../runtime/telemetry/emf-meter';
import { log } from '../runtime/telemetry/log';
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
    { env: process.env, dynamo: createDynamoClient() },
    { buckets, changeLog, targetCursors },
  ),
  targetTasks: new LambdaTargetTasks(createLambdaClient(3_000), requireEnv(ENV.functionName)),
  clock: systemClock,
  ids: systemIds,
  log,
  meter,
});

export const handler = reporting(meter, notify);
