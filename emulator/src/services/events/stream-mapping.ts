import { UserError } from '../../errors/user-error';
import type { ResolvedResource } from '../../template/model';
import { listProperty, numberProperty, optionalText, textProperty } from '../../template/resources';
import { failureDestination } from './failure-destination';
import { parseFilters } from './filters';
import { type EventSourceMappingsOptions, refuseOtherProperties, type Trigger } from './mapping';
import { type StreamMapping, StreamTrigger } from './stream-trigger';

const PROPERTIES = [
  'BatchSize',
  'BisectBatchOnFunctionError',
  'DestinationConfig',
  'Enabled',
  'EventSourceArn',
  'FilterCriteria',
  'FunctionName',
  'FunctionResponseTypes',
  'MaximumBatchingWindowInSeconds',
  'MaximumRecordAgeInSeconds',
  'MaximumRetryAttempts',
  'ParallelizationFactor',
  'StartingPosition',
  'Tags',
];

/**
 * Creates the trigger of a DynamoDB stream, which invokes the function for each shard on its own.
 * Throws UserError for a mapping that AWS would refuse.
 */
export function createStreamTrigger(
  resource: ResolvedResource,
  options: EventSourceMappingsOptions,
): Trigger {
  const { lambda, streams: source, pollInterval = 250, retryDelay = 250 } = options;
  const mapping = parseMapping(resource);
  const { functionArn, roleArn } = lambda.describe(textProperty(resource, 'FunctionName'));
  refuseWithoutGrant(resource, roleArn, options);
  const shared = {
    mapping,
    source,
    invoke: (payload: string) => lambda.invoke(functionArn, payload),
    report: (message: string) => lambda.report(functionArn, message),
    onDiscard: failureDestination(resource, { functionArn, roleArn, queues: options.queues }),
    pollInterval,
    retryDelay,
  };
  const shards = source.shards(textProperty(resource, 'EventSourceArn'));
  const triggers = shards.map((shard) => new StreamTrigger({ ...shared, shard }));
  return {
    start() {
      for (const trigger of triggers) trigger.start();
    },
    async stop() {
      await Promise.all(triggers.map((trigger) => trigger.stop()));
    },
  };
}

function parseMapping(resource: ResolvedResource): StreamMapping {
  const { logicalId, properties } = resource;
  refuseOtherProperties(resource, PROPERTIES, 'streams');
  const startingPosition = textProperty(resource, 'StartingPosition');
  if (startingPosition !== 'TRIM_HORIZON' && startingPosition !== 'LATEST') {
    throw new UserError(`${logicalId}.StartingPosition must be TRIM_HORIZON or LATEST`);
  }
  const seconds = (name: string, initial: number) => {
    const value = numberProperty(resource, name, initial);
    return value < 0 ? value : value * 1000;
  };
  return {
    consumer: logicalId,
    startingPosition,
    batchSize: numberProperty(resource, 'BatchSize', 100),
    batchingWindow: seconds('MaximumBatchingWindowInSeconds', 0),
    maxRetries: numberProperty(resource, 'MaximumRetryAttempts', -1),
    maxRecordAge: seconds('MaximumRecordAgeInSeconds', -1),
    bisects: optionalText(resource, 'BisectBatchOnFunctionError') === 'true',
    reportsItemFailures: listProperty(resource, 'FunctionResponseTypes').includes(
      'ReportBatchItemFailures',
    ),
    filter: parseFilters(properties.FilterCriteria, `${logicalId}.FilterCriteria`),
  };
}

const NEEDED = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];

/**
 * Lambda reads the stream with the role of the function, and refuses the mapping when the role may
 * not.
 */
function refuseWithoutGrant(
  resource: ResolvedResource,
  roleArn: string,
  { iam }: EventSourceMappingsOptions,
): void {
  const streamArn = textProperty(resource, 'EventSourceArn');
  const principal = { arn: roleArn, root: false };
  for (const action of NEEDED) {
    const denial = iam.denial(principal, { action: `dynamodb:${action}`, resource: streamArn });
    if (denial !== undefined) throw new UserError(`${resource.logicalId}: ${denial}`);
  }
}
