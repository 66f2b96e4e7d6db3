import { type InvokeResult, LambdaServiceError } from '../lambda/invoker';
import { batchPayload, MAX_RECORD_BYTES } from './batch-payload';
import { countSucceeded } from './batch-result';
import type { Filter } from './filters';
import { pause } from './pause';
import type { Shard, StreamRecord, StreamSource } from './stream-source';

/** An AWS::Lambda::EventSourceMapping. */
export interface StreamMapping {
  /** Names the consumer in the stream's checkpoints: the mapping's logical id. */
  readonly consumer: string;
  readonly startingPosition: 'TRIM_HORIZON' | 'LATEST';
  readonly batchSize: number;
  /** Milliseconds. */
  readonly batchingWindow: number;
  /** -1: no limit. */
  readonly maxRetries: number;
  /** Milliseconds; -1: no limit. */
  readonly maxRecordAge: number;
  readonly bisects: boolean;
  readonly reportsItemFailures: boolean;
  readonly filter: Filter;
}

export interface StreamTriggerOptions {
  readonly mapping: StreamMapping;
  readonly source: StreamSource;
  readonly shard: Shard;
  readonly invoke: (payload: string) => Promise<InvokeResult>;
  /** Writes to the function's log: about discarded records and errors of the source. */
  readonly report: (message: string) => void;
  /**
   * Notifies the on-failure destination, before the records are checkpointed. When it throws, the
   * function gets them again.
   */
  readonly onDiscard?: (discarded: DiscardedRecords) => void;
  /** Milliseconds between polls; 0: no polls, the stream reports each new record at once. */
  readonly pollInterval: number;
  /** Milliseconds before the first retry; each further one waits twice as long, up to a minute. */
  readonly retryDelay: number;
}

/** Records that the function failed to process and does not get again. */
export interface DiscardedRecords {
  readonly shard: Shard;
  /** At least one. */
  readonly records: readonly StreamRecord[];
  readonly condition: 'RetryAttemptsExhausted' | 'RecordAgeExceeded';
  /** How often the function was invoked with them. */
  readonly invocations: number;
  /** Of the last invocation. */
  readonly lastResult?: InvokeResult;
}

const LONGEST_RETRY_DELAY = 60_000;

/** Milliseconds between reads within a batching window, when the stream is not polled. */
const WINDOW_POLL = 50;

interface Batch {
  readonly records: readonly StreamRecord[];
  /** Failed attempts that count as retries. */
  readonly failures: number;
  readonly invocations: number;
  readonly lastResult?: InvokeResult;
}

function untried(records: readonly StreamRecord[]): Batch {
  return { records, failures: 0, invocations: 0 };
}

/**
 * Reads one shard of a stream in order and invokes the function with batches of its records. A
 * batch that fails blocks the later ones.
 * https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
export class StreamTrigger {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private lastSequence: string | undefined;

  constructor(private readonly options: StreamTriggerOptions) {}

  start(): void {
    this.running = this.run();
  }

  /**
   * Waits for the running invocation. Records that it has not completed are read again by the next
   * run.
   */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    let opened = false;
    while (!this.stopped) {
      try {
        if (!opened) await this.open();
        opened = true;
        const records = await this.gather();
        if (records.length > 0) await this.process(records);
        // AWS polls four times a second. After a full batch there may be more at once.
        if (records.length < this.options.mapping.batchSize) await this.nextPoll();
      } catch (error) {
        if (this.stopped) return;
        // The source failed, not the function: records that are not checkpointed are read again.
        this.options.report(`${this.options.mapping.consumer}: ${error}`);
        await this.pause(LONGEST_RETRY_DELAY / 60);
      }
    }
  }

  private nextPoll(): Promise<void> {
    const { source, shard, pollInterval } = this.options;
    if (pollInterval > 0) return this.pause(pollInterval);
    return source.arrival(shard, this.lastSequence, this.stopping.signal);
  }

  private async open(): Promise<void> {
    const { source, mapping, shard } = this.options;
    this.lastSequence = await source.checkpoint(shard, mapping.consumer);
    if (this.lastSequence !== undefined || mapping.startingPosition === 'TRIM_HORIZON') return;
    const latest = await source.latest(shard);
    // An empty shard has no latest record: all that it gets later are after the start.
    if (latest !== undefined) await this.checkpoint(latest);
  }

  /** Reads up to a batch of records. From the first one on, waits at most the batching window. */
  private async gather(): Promise<readonly StreamRecord[]> {
    const { source, mapping, shard, pollInterval } = this.options;
    const read = () => source.read(shard, this.lastSequence, mapping.batchSize);
    let records = await read();
    if (records.length === 0) return records;
    const end = Date.now() + mapping.batchingWindow;
    while (records.length < mapping.batchSize && Date.now() < end && !this.stopped) {
      await this.pause(Math.min(pollInterval || WINDOW_POLL, end - Date.now()));
      records = await read();
    }
    return records;
  }

  private async process(records: readonly StreamRecord[]): Promise<void> {
    let batches: readonly Batch[] = [untried(records)];
    while (!this.stopped) {
      const [batch, ...later] = batches;
      if (batch === undefined) return;
      batches = [...(await this.attempt(batch)), ...later];
    }
  }

  /** Invokes the function once. Returns the rest of the batch, in order. */
  private async attempt(batch: Batch): Promise<readonly Batch[]> {
    const { mapping } = this.options;
    const expired = this.leadingExpired(batch.records);
    if (expired.length > 0) {
      await this.discard({ ...batch, records: expired }, 'RecordAgeExceeded');
      const records = batch.records.slice(expired.length);
      return records.length > 0 ? [{ ...batch, records }] : [];
    }
    const { wanted, payload, rest } = this.select(batch.records);
    const remaining = rest.length > 0 ? [untried(rest)] : [];
    const taken = batch.records.slice(0, batch.records.length - rest.length);
    if (wanted.length === 0) {
      await this.done(taken);
      return remaining;
    }
    const lastResult = await this.invoke(payload);
    if (lastResult === undefined) return [batch];
    const complete = countSucceeded(wanted, lastResult, mapping.reportsItemFailures);
    const failed = wanted[complete];
    if (failed === undefined) {
      await this.done(taken);
      return remaining;
    }
    const split = taken.indexOf(failed);
    await this.done(taken.slice(0, split));
    const records = taken.slice(split);
    const { failures } = batch;
    const tried = { records, failures, invocations: batch.invocations + 1, lastResult };
    return [...(await this.retry(tried, complete > 0)), ...remaining];
  }

  /** `advanced`: the function completed the first records, so the batch is already split. */
  private async retry(batch: Batch, advanced: boolean): Promise<readonly Batch[]> {
    // The shutdown may have interrupted the invocation: the next run reads the records again.
    if (this.stopped) return [];
    const { mapping, retryDelay } = this.options;
    const { records } = batch;
    const splits = mapping.bisects && (advanced || records.length > 1);
    // Splitting a batch does not count as a retry.
    const failures = splits ? batch.failures : batch.failures + 1;
    if (mapping.maxRetries >= 0 && failures > mapping.maxRetries) {
      await this.discard(batch, 'RetryAttemptsExhausted');
      return [];
    }
    await this.pause(Math.min(retryDelay * 2 ** batch.failures, LONGEST_RETRY_DELAY));
    const again = { ...batch, failures };
    if (!splits || advanced) return [again];
    const middle = Math.ceil(records.length / 2);
    return [
      { ...again, records: records.slice(0, middle) },
      { ...again, records: records.slice(middle) },
    ];
  }

  private leadingExpired(records: readonly StreamRecord[]): readonly StreamRecord[] {
    const { maxRecordAge } = this.options.mapping;
    if (maxRecordAge < 0) return [];
    const oldest = Date.now() - maxRecordAge;
    const fresh = records.findIndex(
      ({ dynamodb }) => dynamodb.ApproximateCreationDateTime * 1000 >= oldest,
    );
    return fresh < 0 ? records : records.slice(0, fresh);
  }

  /**
   * Selects the records for one invocation: those that pass the filter, up to the size of a
   * payload.
   */
  private select(records: readonly StreamRecord[]): {
    readonly wanted: readonly StreamRecord[];
    readonly payload: string;
    readonly rest: readonly StreamRecord[];
  } {
    const wanted: StreamRecord[] = [];
    const texts: string[] = [];
    let bytes = 0;
    let taken = 0;
    for (const record of records) {
      if (this.options.mapping.filter(record)) {
        const text = JSON.stringify(record);
        bytes += Buffer.byteLength(text) + 1;
        if (bytes > MAX_RECORD_BYTES && wanted.length > 0) break;
        wanted.push(record);
        texts.push(text);
      }
      taken++;
    }
    return { wanted, payload: batchPayload(texts), rest: records.slice(taken) };
  }

  /** undefined: throttled, which does not count as an attempt. */
  private async invoke(payload: string): Promise<InvokeResult | undefined> {
    try {
      return await this.options.invoke(payload);
    } catch (error) {
      if (!(error instanceof LambdaServiceError)) throw error;
      if (error.code === 'RequestTooLargeException') {
        return { payload: error.message, functionError: 'Unhandled' };
      }
      await this.pause(this.options.retryDelay);
      return undefined;
    }
  }

  private async discard(batch: Batch, condition: DiscardedRecords['condition']): Promise<void> {
    const { mapping, shard, report, onDiscard } = this.options;
    // The function never gets the records that the filter rejects.
    const records = batch.records.filter((record) => mapping.filter(record));
    if (records.length > 0) {
      const [first, last] = [records[0], records.at(-1)];
      report(
        `${mapping.consumer}: ${condition}: discarded ${records.length} records, ` +
          `${first?.dynamodb.SequenceNumber} to ${last?.dynamodb.SequenceNumber}`,
      );
      const { invocations, lastResult } = batch;
      onDiscard?.({ shard, records, condition, invocations, lastResult });
    }
    await this.done(batch.records);
  }

  private async done(records: readonly StreamRecord[]): Promise<void> {
    const last = records.at(-1);
    if (last !== undefined) await this.checkpoint(last.dynamodb.SequenceNumber);
  }

  private async checkpoint(sequence: string): Promise<void> {
    const { source, mapping, shard } = this.options;
    await source.saveCheckpoint(shard, mapping.consumer, sequence);
    this.lastSequence = sequence;
  }

  /** Returns early when the trigger is stopped. */
  private pause(milliseconds: number): Promise<void> {
    return pause(milliseconds, this.stopping.signal);
  }
}
