import { isRecord } from '../../values/json';
import type { InvokeResult } from '../lambda/invoker';
import { compareSequences, type StreamRecord } from './stream-source';

/**
 * Returns the items of a batch that failed: all of them when the function failed, those that its
 * response names with ReportBatchItemFailures. An unknown or empty name fails the whole batch.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 */
export function failedItems(
  identifiers: readonly string[],
  result: InvokeResult,
  reportsItemFailures: boolean,
): ReadonlySet<string> {
  const all = new Set(identifiers);
  const none: ReadonlySet<string> = new Set();
  if (result.functionError !== undefined) return all;
  if (!reportsItemFailures) return none;
  const response: unknown = JSON.parse(result.payload);
  if (response === null) return none;
  if (!isRecord(response)) return all;
  const { batchItemFailures: failures } = response;
  if (failures === undefined || failures === null) return none;
  if (!Array.isArray(failures)) return all;
  const failed = new Set<string>();
  for (const failure of failures) {
    const identifier = isRecord(failure) ? failure.itemIdentifier : undefined;
    if (typeof identifier !== 'string' || !all.has(identifier)) return all;
    failed.add(identifier);
  }
  return failed;
}

/**
 * Returns how many records, counted from the first, need no further attempt: the next attempt
 * begins at the lowest sequence number that failed.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export function countSucceeded(
  records: readonly StreamRecord[],
  result: InvokeResult,
  reportsItemFailures: boolean,
): number {
  const sequences = records.map(({ dynamodb }) => dynamodb.SequenceNumber);
  const [lowest] = [...failedItems(sequences, result, reportsItemFailures)].sort(compareSequences);
  return lowest === undefined ? records.length : sequences.indexOf(lowest);
}
