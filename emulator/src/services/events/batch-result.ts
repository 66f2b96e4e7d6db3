import { isRecord } from '../../template/json';
import type { InvokeResult } from '../lambda/invoker';
import { compareSequences, type StreamRecord } from './stream-source';

/**
 * Which items of a batch the function has not got done. With ReportBatchItemFailures those that it
 * names; an unknown or empty name fails the whole batch.
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
  const answer: unknown = JSON.parse(result.payload);
  if (answer === null) return none;
  if (!isRecord(answer)) return all;
  const { batchItemFailures: failures } = answer;
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
 * How many of the records of a stream, counted from the first, are done with: the lowest sequence
 * number that failed is where the next attempt begins.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export function countDone(
  records: readonly StreamRecord[],
  result: InvokeResult,
  reportsItemFailures: boolean,
): number {
  const sequences = records.map(({ dynamodb }) => dynamodb.SequenceNumber);
  const [lowest] = [...failedItems(sequences, result, reportsItemFailures)].sort(compareSequences);
  return lowest === undefined ? records.length : sequences.indexOf(lowest);
}
