import { UserError } from '../../errors/user-error';
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import {
  integerProperty,
  listProperty,
  numberProperty,
  resourcesOfType,
  textProperty,
} from '../../template/resources';
import { isRecord } from '../../values/json';
import { mergedHeader } from '../lambda/lineage';
import { type EventSourceMappingsOptions, refuseOtherProperties } from './mapping';
import type { QueueSource } from './queue-source';
import { type QueueMapping, QueueTrigger } from './queue-trigger';

const PROPERTIES = [
  'BatchSize',
  'Enabled',
  'EventSourceArn',
  'FunctionName',
  'FunctionResponseTypes',
  'MaximumBatchingWindowInSeconds',
  'ScalingConfig',
  'Tags',
];

/** Creates the trigger of an SQS queue. Throws UserError for a mapping that AWS would refuse. */
export function createQueueTrigger(
  resource: ResolvedResource,
  { stack, lambda, queues }: EventSourceMappingsOptions,
): QueueTrigger {
  const queueArn = textProperty(resource, 'EventSourceArn');
  const queue = queues?.describe(queueArn);
  if (queues === undefined || queue === undefined) {
    throw new UserError(
      `${resource.logicalId}.EventSourceArn: the template has no queue ${queueArn}`,
    );
  }
  const { functionArn, roleArn } = lambda.describe(textProperty(resource, 'FunctionName'));
  refuseWithoutGrant(resource, roleArn, queues);
  const functionTimeout = timeoutOf(functionArn, stack);
  if (queue.visibilityTimeout < functionTimeout) {
    throw new UserError(
      `${resource.logicalId}: Queue visibility timeout: ${queue.visibilityTimeout / 1000} seconds ` +
        `is less than Function timeout: ${functionTimeout / 1000} seconds`,
    );
  }
  return new QueueTrigger({
    mapping: parseMapping(resource, stack.region),
    source: queues,
    throttleTimeout: queue.visibilityTimeout - functionTimeout,
    invoke: (payload, traceHeaders) =>
      lambda.invoke(functionArn, payload, undefined, mergedHeader(traceHeaders)),
    isLoop: (traceHeader) => lambda.isLoop(functionArn, traceHeader),
    report: (message) => lambda.report(functionArn, message),
  });
}

/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html */
function parseMapping(resource: ResolvedResource, region: string): QueueMapping {
  const { logicalId } = resource;
  refuseOtherProperties(resource, PROPERTIES, 'queues');
  const batchSize = integerProperty(resource, 'BatchSize', { initial: 10, least: 1, most: 10_000 });
  const window = integerProperty(resource, 'MaximumBatchingWindowInSeconds', {
    initial: 0,
    least: 0,
    most: 300,
  });
  if (batchSize > 10 && window === 0) {
    throw new UserError(
      `${logicalId}: MaximumBatchingWindowInSeconds must be at least 1 for a BatchSize above 10`,
    );
  }
  if (window > 0 && textProperty(resource, 'EventSourceArn').endsWith('.fifo')) {
    throw new UserError(`${logicalId}.MaximumBatchingWindowInSeconds: not for FIFO queues`);
  }
  return {
    consumer: logicalId,
    queueArn: textProperty(resource, 'EventSourceArn'),
    region,
    batchSize,
    batchingWindow: window * 1000,
    maxConcurrency: concurrencyOf(resource),
    reportsItemFailures: listProperty(resource, 'FunctionResponseTypes').includes(
      'ReportBatchItemFailures',
    ),
  };
}

/** AWS scales from five up to a thousand; the emulator stays at five. */
function concurrencyOf({ logicalId, properties }: ResolvedResource): number {
  const { ScalingConfig: scaling } = properties;
  const maximum = Number(isRecord(scaling) ? (scaling.MaximumConcurrency ?? 5) : 5);
  if (Number.isInteger(maximum) && maximum >= 2 && maximum <= 1000) return Math.min(maximum, 5);
  throw new UserError(
    `${logicalId}.ScalingConfig.MaximumConcurrency must be an integer from 2 to 1000`,
  );
}

/** Milliseconds. */
function timeoutOf(functionArn: string, stack: ResolvedStack): number {
  const resource = resourcesOfType(stack, 'AWS::Lambda::Function').find(
    ({ arn }) => arn === functionArn,
  );
  return (resource === undefined ? 3 : numberProperty(resource, 'Timeout', 3)) * 1000;
}

const NEEDED = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];

/** Lambda polls with the role of the function, and refuses the mapping when the role may not. */
function refuseWithoutGrant(
  resource: ResolvedResource,
  roleArn: string,
  queues: QueueSource,
): void {
  const queueArn = textProperty(resource, 'EventSourceArn');
  for (const action of NEEDED) {
    const denial = queues.denial(roleArn, `sqs:${action}`, queueArn);
    if (denial !== undefined) throw new UserError(`${resource.logicalId}: ${denial}`);
  }
}
