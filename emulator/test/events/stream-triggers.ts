import { shardId } from '../../src/services/events/stream-source';
import {
  type DiscardedRecords,
  type StreamMapping,
  StreamTrigger,
} from '../../src/services/events/stream-trigger';
import type { InvokeResult } from '../../src/services/lambda/invoker';
import { afterTest } from '../support/clean-up';
import { until } from '../support/until';
import { MemoryStream, STREAM } from './memory-stream';

export const FAILURE: InvokeResult = {
  payload: '{"errorType":"Error"}',
  functionError: 'Unhandled',
};
export const failing = (...sequences: unknown[]): InvokeResult => ({
  payload: JSON.stringify({
    batchItemFailures: sequences.map((itemIdentifier) => ({ itemIdentifier })),
  }),
});

/**
 * Creates a trigger of a stream in memory, which is stopped after the test. `respond` returns the
 * result of an invocation, `batches` contains the sequence numbers of each invocation.
 */
export function useTrigger(
  respond: (sequences: number[], call: number) => InvokeResult | Promise<InvokeResult> = () => ({
    payload: 'null',
  }),
  options: Partial<StreamMapping> = {},
  {
    stream = new MemoryStream(),
    onDiscard,
    pollInterval = 1,
  }: {
    readonly stream?: MemoryStream;
    readonly onDiscard?: (discarded: DiscardedRecords) => void;
    readonly pollInterval?: number;
  } = {},
) {
  const batches: number[][] = [];
  const reports: string[] = [];
  const trigger = new StreamTrigger({
    mapping: {
      consumer: 'Mapping',
      startingPosition: 'TRIM_HORIZON',
      batchSize: 100,
      batchingWindow: 0,
      maxRetries: -1,
      maxRecordAge: -1,
      bisects: false,
      reportsItemFailures: true,
      filter: () => true,
      ...options,
    },
    source: stream,
    shard: { streamArn: STREAM, shardId: shardId(1) },
    invoke: async (payload) => {
      const records = JSON.parse(payload).Records as { dynamodb: { SequenceNumber: string } }[];
      const sequences = records.map(({ dynamodb }) => Number(dynamodb.SequenceNumber));
      batches.push(sequences);
      return respond(sequences, batches.length);
    },
    report: (message) => reports.push(message),
    onDiscard,
    pollInterval,
    retryDelay: 1,
  });
  afterTest(() => trigger.stop());
  const done = (sequence: number) =>
    until(() => stream.checkpoints.get('Mapping') === String(sequence));
  return { trigger, stream, batches, reports, done };
}
