import { type InvokeResult, LambdaServiceError } from '../lambda/invoker';
import { batchPayload, MAX_RECORD_BYTES } from './batch-payload';
import { failedItems } from './batch-result';
import { pause } from './pause';
import type { QueueSource, ReceivedMessage } from './queue-source';

/** An AWS::Lambda::EventSourceMapping of a queue. */
export interface QueueMapping {
  /** The mapping's logical id. */
  readonly consumer: string;
  readonly queueArn: string;
  /** `us-east-1` */
  readonly region: string;
  readonly batchSize: number;
  /** Milliseconds. */
  readonly batchingWindow: number;
  /** Concurrent invocations. */
  readonly maxConcurrency: number;
  readonly reportsItemFailures: boolean;
}

export interface QueueTriggerOptions {
  readonly mapping: QueueMapping;
  readonly source: QueueSource;
  /** `traceHeaders` are the trace headers of the messages. */
  readonly invoke: (payload: string, traceHeaders: readonly string[]) => Promise<InvokeResult>;
  /** Whether Lambda stops the invocation that a message with that trace header would cause. */
  readonly isLoop: (traceHeader: string) => boolean;
  /** Writes to the function's log: about errors outside of an invocation. */
  readonly report: (message: string) => void;
  /**
   * Milliseconds during which a throttled invocation is retried. A later one might not finish
   * before its messages become visible again.
   */
  readonly throttleTimeout: number;
}

/** Milliseconds that a receive waits for messages, as in AWS. */
const LONG_POLL = 20_000;
const MAX_RECEIVED = 10;
/** Milliseconds before the retry of a failed receive or a throttled invocation. */
const RETRY_DELAY = 1000;

interface Batch {
  readonly messages: readonly ReceivedMessage[];
  readonly payload: string;
}

/**
 * Receives messages and invokes the function with batches of them, concurrently. Messages that the
 * function has completed are deleted; the others become visible after the queue's visibility
 * timeout. https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export class QueueTrigger {
  private readonly stopping = new AbortController();
  private readonly working = new Set<Promise<void>>();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: QueueTriggerOptions) {}

  start(): void {
    this.running = this.run();
  }

  /**
   * Waits for the running invocations. Messages that they have not completed become visible at
   * once.
   */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    await Promise.all(this.working);
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        if (this.working.size >= this.options.mapping.maxConcurrency) {
          await Promise.race(this.working);
          continue;
        }
        const messages = this.withoutLoops(await this.gather());
        for (const batch of this.split(messages)) this.launch(batch);
      } catch (error) {
        if (this.stopped) return;
        this.options.report(`${this.options.mapping.consumer}: ${error}`);
        await pause(RETRY_DELAY, this.stopping.signal);
      }
    }
  }

  /** Receives up to a batch. From the first message on, waits at most the batching window. */
  private async gather(): Promise<readonly ReceivedMessage[]> {
    const { batchSize, batchingWindow } = this.options.mapping;
    const messages = [...(await this.receive(batchSize, LONG_POLL))];
    const end = Date.now() + batchingWindow;
    let bytes = 0;
    while (messages.length > 0 && messages.length < batchSize && bytes < MAX_RECORD_BYTES) {
      const wait = end - Date.now();
      if (wait <= 0 || this.stopped) break;
      const more = await this.receive(batchSize - messages.length, wait);
      messages.push(...more);
      bytes += more.reduce((sum, { body }) => sum + body.length, 0);
    }
    return messages;
  }

  private receive(wanted: number, wait: number): Promise<readonly ReceivedMessage[]> {
    const { source, mapping } = this.options;
    const limit = Math.min(wanted, MAX_RECEIVED);
    return source.receive(mapping.queueArn, { limit, wait, signal: this.stopping.signal });
  }

  /**
   * Discards the messages for which Lambda would not invoke the function, at once: in AWS they
   * return until their receive count is used up.
   */
  private withoutLoops(messages: readonly ReceivedMessage[]): readonly ReceivedMessage[] {
    const { source, mapping, isLoop } = this.options;
    const loops = messages.filter((message) => traceHeadersOf([message]).some(isLoop));
    if (loops.length === 0) return messages;
    const handles = loops.map(({ handle }) => handle);
    source.discard(mapping.queueArn, handles);
    return messages.filter((message) => !loops.includes(message));
  }

  /** Splits messages into batches that each fit into one payload. */
  private *split(messages: readonly ReceivedMessage[]): Generator<Batch> {
    let batch: ReceivedMessage[] = [];
    let texts: string[] = [];
    let bytes = 0;
    for (const message of messages) {
      const text = JSON.stringify(this.record(message));
      const size = Buffer.byteLength(text) + 1;
      if (bytes + size > MAX_RECORD_BYTES) {
        yield { messages: batch, payload: batchPayload(texts) };
        [batch, texts, bytes] = [[], [], 0];
      }
      batch.push(message);
      texts.push(text);
      bytes += size;
    }
    if (batch.length > 0) yield { messages: batch, payload: batchPayload(texts) };
  }

  /**
   * https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event
   */
  private record({ id, handle, body, attributes, md5OfBody }: ReceivedMessage): unknown {
    const { queueArn, region } = this.options.mapping;
    return {
      messageId: id,
      receiptHandle: handle,
      body,
      attributes,
      messageAttributes: {},
      md5OfBody,
      eventSource: 'aws:sqs',
      eventSourceARN: queueArn,
      awsRegion: region,
    };
  }

  private launch(batch: Batch): void {
    const work = this.process(batch)
      .catch((error: unknown) => {
        this.options.report(`${this.options.mapping.consumer}: ${error}`);
      })
      .finally(() => this.working.delete(work));
    this.working.add(work);
  }

  private async process({ messages, payload }: Batch): Promise<void> {
    const { mapping, source } = this.options;
    const result = await this.invoke(payload, traceHeadersOf(messages));
    const ids = messages.map(({ id }) => id);
    const failed =
      result === undefined ? new Set(ids) : failedItems(ids, result, mapping.reportsItemFailures);
    const handles = (chosen: readonly ReceivedMessage[]) => chosen.map(({ handle }) => handle);
    const done = handles(messages.filter(({ id }) => !failed.has(id)));
    source.delete(mapping.queueArn, done);
    // The shutdown may have interrupted the invocation: the next run can receive these at once.
    if (this.stopped) {
      const rest = handles(messages.filter(({ id }) => failed.has(id)));
      source.release(mapping.queueArn, rest);
    }
  }

  /** undefined: Lambda refused the invocation. */
  private async invoke(
    payload: string,
    traceHeaders: readonly string[],
  ): Promise<InvokeResult | undefined> {
    const { throttleTimeout, report, mapping } = this.options;
    const end = Date.now() + throttleTimeout;
    for (;;) {
      try {
        return await this.options.invoke(payload, traceHeaders);
      } catch (error) {
        if (!(error instanceof LambdaServiceError)) throw error;
        const retries = error.code === 'TooManyRequestsException' && !this.stopped;
        if (!retries || Date.now() + RETRY_DELAY > end) {
          report(`${mapping.consumer}: not invoked: ${error.message}`);
          return undefined;
        }
        await pause(RETRY_DELAY, this.stopping.signal);
      }
    }
  }
}

function traceHeadersOf(messages: readonly ReceivedMessage[]): readonly string[] {
  return messages.flatMap(({ attributes }) => attributes.AWSTraceHeader ?? []);
}
