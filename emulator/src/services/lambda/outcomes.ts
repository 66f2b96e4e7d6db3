/**
 * Turns the messages of an execution environment into the results of Invoke and
 * InvokeWithResponseStream.
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Chunk, Invocation } from './execution-environment';
import { FunctionError, type InvokeResult, type StreamResult } from './invoker';
import { isLarger, type Payload } from './payload';

/**
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html (bytes; the exact figures
 * are measured)
 */
const MAX_BUFFERED_RESPONSE = 6_291_556;
const MAX_STREAMED_RESPONSE = 200 * 1024 * 1024;

/** Collects the whole result. */
export class BufferedOutcome implements Invocation {
  readonly id = randomUUID();
  readonly response: Promise<InvokeResult>;
  private readonly chunks: Uint8Array[] = [];
  private length = 0;
  private settle: (result: InvokeResult) => void = () => undefined;

  constructor(
    readonly payload: Payload,
    readonly invokedArn: string,
    readonly traceHeader: string,
  ) {
    this.response = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  result(payload: string): void {
    if (isLarger(payload, MAX_BUFFERED_RESPONSE)) this.failed(tooLargeError());
    else this.settle({ payload, requestId: this.id });
  }

  chunk({ data, done }: Chunk, acknowledge: (bytes: number) => void): void {
    acknowledge(data.length);
    this.length += data.length;
    // Above the limit the output is dropped, and the function continues, as in AWS.
    if (this.length <= MAX_BUFFERED_RESPONSE) this.chunks.push(data);
    if (!done) return;
    if (this.length > MAX_BUFFERED_RESPONSE) this.failed(tooLargeError());
    else this.settle({ payload: Buffer.concat(this.chunks).toString('utf8'), requestId: this.id });
  }

  failed(payload: string): void {
    this.settle({ payload, functionError: 'Unhandled', requestId: this.id });
  }
}

/** Passes the output on as it arrives. */
export class StreamedOutcome implements Invocation {
  readonly id = randomUUID();
  readonly response: Promise<StreamResult>;
  private body: BodyStream | undefined;
  private length = 0;
  private resolve: (result: StreamResult) => void = () => undefined;
  private reject: (error: FunctionError) => void = () => undefined;

  constructor(
    readonly payload: Payload,
    readonly invokedArn: string,
    readonly traceHeader: string,
  ) {
    this.response = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  result(payload: string): void {
    const body = Readable.from([Buffer.from(payload)], { objectMode: false });
    this.resolve({ contentType: 'application/json', body });
  }

  chunk({ contentType, data, ended }: Chunk, acknowledge: (bytes: number) => void): void {
    if (this.body === undefined) {
      this.body = new BodyStream();
      this.resolve({ contentType, body: this.body });
    }
    this.length += data.length;
    if (this.length > MAX_STREAMED_RESPONSE) this.body.fail(tooLargeError());
    // After the end of the stream nothing waits for an acknowledgement.
    this.body.accept(data, ended, ended ? () => undefined : acknowledge);
  }

  failed(payload: string): void {
    if (this.body === undefined) this.reject(new FunctionError(payload));
    else this.body.fail(payload);
  }
}

/**
 * Acknowledges bytes when the reader requests more, so that a slow reader slows the function down.
 */
class BodyStream extends Readable {
  private unacknowledged = 0;
  private acknowledge: (bytes: number) => void = () => undefined;
  private ended = false;

  accept(data: Uint8Array, ended: boolean, acknowledge: (bytes: number) => void): void {
    if (this.ended) return;
    this.acknowledge = acknowledge;
    this.unacknowledged += data.length;
    this.ended = ended;
    // The function continues after the reader has gone; its output is discarded.
    if (data.length > 0 && (this.destroyed || this.push(data))) this._read();
    if (ended && !this.destroyed) this.push(null);
  }

  fail(payload: string): void {
    if (!this.ended) this.destroy(new FunctionError(payload));
  }

  override _read(): void {
    const bytes = this.unacknowledged;
    this.unacknowledged = 0;
    if (bytes > 0) this.acknowledge(bytes);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this._read();
    callback(error);
  }
}

function tooLargeError(): string {
  return JSON.stringify({
    errorType: 'Function.ResponseSizeTooLarge',
    errorMessage: `Response payload size exceeded maximum allowed payload size (${MAX_BUFFERED_RESPONSE} bytes).`,
  });
}
