import type { Iam } from '../../iam/iam';
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import {
  listProperty,
  numberProperty,
  optionalText,
  resourcesOfType,
  textProperty,
} from '../../template/resources';
import { UserError } from '../../user-error';
import type { LambdaService } from '../lambda/lambda';
import type { Started } from '../service';
import { parseFilters } from './filters';
import type { StreamSource } from './stream-source';
import { type StreamMapping, StreamTrigger } from './stream-trigger';

export interface StreamTriggersOptions {
  readonly stack: ResolvedStack;
  readonly iam: Iam;
  readonly lambda: LambdaService;
  readonly source: StreamSource;
  /** Milliseconds. Default 250, as AWS. */
  readonly pollInterval?: number;
  /** Milliseconds before the first retry of a failed batch. Default 250. */
  readonly retryDelay?: number;
}

/** Starts every AWS::Lambda::EventSourceMapping of the stack. Throws UserError for what AWS would refuse to create. */
export function startStreamTriggers(options: StreamTriggersOptions): Started {
  const { stack, lambda, source, pollInterval = 250, retryDelay = 250 } = options;
  const triggers = resourcesOfType(stack, 'AWS::Lambda::EventSourceMapping')
    .filter((resource) => optionalText(resource, 'Enabled') !== 'false')
    .map((resource) => {
      const mapping = parseMapping(resource);
      const { functionArn, roleArn } = lambda.describe(textProperty(resource, 'FunctionName'));
      refuseWithoutGrant(resource, roleArn, options);
      return new StreamTrigger({
        mapping,
        source,
        invoke: (payload) => lambda.invoke(functionArn, payload),
        report: (message) => lambda.report(functionArn, message),
        pollInterval,
        retryDelay,
      });
    });
  for (const trigger of triggers) trigger.start();
  return {
    async stop() {
      await Promise.all(triggers.map((trigger) => trigger.stop()));
    },
  };
}

function parseMapping(resource: ResolvedResource): StreamMapping {
  const { logicalId, properties } = resource;
  const streamArn = textProperty(resource, 'EventSourceArn');
  if (!/^arn:aws:dynamodb:.*\/stream\//.test(streamArn)) {
    throw new UserError(
      `${logicalId}.EventSourceArn: the local runtime knows DynamoDB streams only`,
    );
  }
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
    streamArn,
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

/** Lambda reads the stream in the function's role, and refuses the mapping when the role may not. */
function refuseWithoutGrant(
  resource: ResolvedResource,
  roleArn: string,
  { iam }: StreamTriggersOptions,
): void {
  const streamArn = textProperty(resource, 'EventSourceArn');
  const principal = { arn: roleArn, root: false };
  for (const action of NEEDED) {
    const denial = iam.denial(principal, { action: `dynamodb:${action}`, resource: streamArn });
    if (denial !== undefined) throw new UserError(`${resource.logicalId}: ${denial}`);
  }
}
