import { isRecord } from '../../template/json';
import type { InvokeResult } from '../lambda/invoker';
import { compareSequences, type StreamRecord } from './stream-source';

/**
 * How many of the records, counted from the first, are done with. With ReportBatchItemFailures the lowest sequence
 * number that the function names is where the next attempt begins; an unknown or empty one fails the whole batch.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export function countDone(
  records: readonly StreamRecord[],
  result: InvokeResult,
  reportsItemFailures: boolean,
): number {
  if (result.functionError !== undefined) return 0;
  if (!reportsItemFailures) return records.length;
  const answer: unknown = JSON.parse(result.payload);
  if (answer === null) return records.length;
  if (!isRecord(answer)) return 0;
  const { batchItemFailures: failures } = answer;
  if (failures === undefined || failures === null) return records.length;
  if (!Array.isArray(failures)) return 0;
  const known = new Set(records.map(({ dynamodb }) => dynamodb.SequenceNumber));
  let lowest: string | undefined;
  for (const failure of failures) {
    const identifier = isRecord(failure) ? failure.itemIdentifier : undefined;
    if (typeof identifier !== 'string' || !known.has(identifier)) return 0;
    if (lowest === undefined || compareSequences(identifier, lowest) < 0) lowest = identifier;
  }
  if (lowest === undefined) return records.length;
  return records.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === lowest);
}
