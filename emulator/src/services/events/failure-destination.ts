/**
 * On-failure destinations of stream mappings: a queue gets a message that names the discarded
 * records. The records themselves stay in the stream for 24 hours.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
import { randomUUID } from 'node:crypto';
import { UserError } from '../../errors/user-error';
import type { ResolvedResource } from '../../template/model';
import { isRecord } from '../../values/json';
import type { QueueSource } from './queue-source';
import type { DiscardedRecords } from './stream-trigger';

interface DestinationContext {
  readonly functionArn: string;
  readonly roleArn: string;
  readonly queues: QueueSource | undefined;
}

/**
 * Returns a function that sends a message about discarded records; undefined when the mapping has
 * no destination. Throws UserError for a destination that AWS refuses or that is not in the
 * template.
 */
export function failureDestination(
  { logicalId, properties }: ResolvedResource,
  { functionArn, roleArn, queues }: DestinationContext,
): ((discarded: DiscardedRecords) => void) | undefined {
  const { DestinationConfig: configuration } = properties;
  const onFailure = isRecord(configuration) ? configuration.OnFailure : undefined;
  if (onFailure === undefined) return undefined;
  const queueArn = isRecord(onFailure) ? onFailure.Destination : undefined;
  const where = `${logicalId}.DestinationConfig.OnFailure.Destination`;
  if (typeof queueArn !== 'string' || queues?.describe(queueArn) === undefined) {
    throw new UserError(`${where}: the template has no queue ${String(queueArn)}`);
  }
  // Lambda sends in the function's role.
  const denial = queues.denial(roleArn, 'sqs:SendMessage', queueArn);
  if (denial !== undefined) throw new UserError(`${where}: ${denial}`);
  return (discarded) =>
    queues.send(queueArn, JSON.stringify(failureMessage(functionArn, discarded)), roleArn);
}

function failureMessage(functionArn: string, discarded: DiscardedRecords): unknown {
  const { records, shard, condition, invocations, lastResult } = discarded;
  const first = records[0]?.dynamodb;
  const last = records.at(-1)?.dynamodb;
  return {
    requestContext: {
      requestId: lastResult?.requestId ?? randomUUID(),
      functionArn: `${functionArn}:$LATEST`,
      condition,
      approximateInvokeCount: invocations,
    },
    ...(lastResult && {
      responseContext: {
        statusCode: 200,
        executedVersion: '$LATEST',
        functionError: lastResult.functionError ?? null,
      },
    }),
    version: '1.0',
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId: shard.shardId,
      startSequenceNumber: first?.SequenceNumber,
      endSequenceNumber: last?.SequenceNumber,
      approximateArrivalOfFirstRecord: instant(first?.ApproximateCreationDateTime),
      approximateArrivalOfLastRecord: instant(last?.ApproximateCreationDateTime),
      batchSize: records.length,
      streamArn: shard.streamArn,
    },
  };
}

/** `2026-11-20T12:00:00Z` */
function instant(epochSeconds = 0): string {
  return `${new Date(epochSeconds * 1000).toISOString().slice(0, 19)}Z`;
}
