import { setTimeout as delay } from 'node:timers/promises';
import { type InvokeResult, LambdaServiceError } from '../lambda/invoker';
import { failedItems } from './batch-result';
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
  /** Invocations at a time. */
  readonly maxConcurrency: number;
  readonly reportsItemFailures: boolean;
}

export interface QueueTriggerOptions {
  readonly mapping: QueueMapping;
  readonly source: QueueSource;
  readonly invoke: (payload: string) => Promise<InvokeResult>;
  /** What went wrong outside of an invocation, for the function's log. */
  readonly report: (message: string) => void;
  /**
   * Milliseconds for which a throttled invocation is tried again: later it might not end before the
   * messages come again.
   */
  readonly throttlePatience: number;
}

/** Bytes of a batch; what Lambda takes in one invocation, less the frame around the records. */
const MAX_PAYLOAD = 6_291_456 - 1024;
/** Milliseconds that a receive waits, as AWS does. */
const LONG_POLL = 20_000;
const MAX_RECEIVED = 10;
const PAUSE = 1000;

interface Batch {
  readonly messages: readonly ReceivedMessage[];
  readonly payload: string;
}

/**
 * Receives messages and invokes the function with batches of them, several at a time. What the
 * function is done with is deleted; the rest comes again after the queue's visibility timeout.
 * https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
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
   * Waits for the invocations under way. What they were given and did not get done is visible again
   * at once.
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
        const messages = await this.gather();
        for (const batch of this.split(messages)) this.launch(batch);
      } catch (error) {
        if (this.stopped) return;
        this.options.report(`${this.options.mapping.consumer}: ${error}`);
        await this.pause(PAUSE);
      }
    }
  }

  /** Up to a batch of messages; waits for the window to fill it, from the first message on. */
  private async gather(): Promise<readonly ReceivedMessage[]> {
    const { batchSize, batchingWindow } = this.options.mapping;
    const messages = [...(await this.receive(batchSize, LONG_POLL))];
    const end = Date.now() + batchingWindow;
    let bytes = 0;
    while (messages.length > 0 && messages.length < batchSize && bytes < MAX_PAYLOAD) {
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

  /** As many messages in each as one payload holds. */
  private *split(messages: readonly ReceivedMessage[]): Generator<Batch> {
    let batch: ReceivedMessage[] = [];
    let texts: string[] = [];
    let bytes = 0;
    for (const message of messages) {
      const text = JSON.stringify(this.record(message));
      const size = Buffer.byteLength(text) + 1;
      if (bytes + size > MAX_PAYLOAD) {
        yield { messages: batch, payload: payloadOf(texts) };
        [batch, texts, bytes] = [[], [], 0];
      }
      batch.push(message);
      texts.push(text);
      bytes += size;
    }
    if (batch.length > 0) yield { messages: batch, payload: payloadOf(texts) };
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
    const work = this.deliver(batch)
      .catch((error: unknown) => {
        this.options.report(`${this.options.mapping.consumer}: ${error}`);
      })
      .finally(() => this.working.delete(work));
    this.working.add(work);
  }

  private async deliver({ messages, payload }: Batch): Promise<void> {
    const { mapping, source } = this.options;
    const result = await this.invoke(payload);
    const ids = messages.map(({ id }) => id);
    const failed =
      result === undefined ? new Set(ids) : failedItems(ids, result, mapping.reportsItemFailures);
    const handles = (chosen: readonly ReceivedMessage[]) => chosen.map(({ handle }) => handle);
    const done = handles(messages.filter(({ id }) => !failed.has(id)));
    source.delete(mapping.queueArn, done);
    // The shutdown may have cut the invocation off: nobody is to wait for what the next run can do
    // at once.
    if (this.stopped) {
      const rest = handles(messages.filter(({ id }) => failed.has(id)));
      source.giveBack(mapping.queueArn, rest);
    }
  }

  /** undefined: it was refused. */
  private async invoke(payload: string): Promise<InvokeResult | undefined> {
    const { throttlePatience, report, mapping } = this.options;
    const end = Date.now() + throttlePatience;
    for (;;) {
      try {
        return await this.options.invoke(payload);
      } catch (error) {
        if (!(error instanceof LambdaServiceError)) throw error;
        if (error.code !== 'TooManyRequestsException' || Date.now() + PAUSE > end || this.stopped) {
          report(`${mapping.consumer}: not invoked: ${error.message}`);
          return undefined;
        }
        await this.pause(PAUSE);
      }
    }
  }

  /** Ends early when the trigger is stopped. */
  private async pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

function payloadOf(texts: readonly string[]): string {
  return `{"Records":[${texts.join(',')}]}`;
}
