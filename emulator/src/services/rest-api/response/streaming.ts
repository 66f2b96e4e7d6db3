/**
 * Response streaming: JSON metadata, eight NUL bytes, payload. The payload is sent on arrival, and
 * a slow client slows the function down, so memory does not grow with the payload.
 */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { internalError } from '../gateway-responses/gateway-responses';
import { DeadlineExceeded } from '../limits/deadline';
import { QUOTAS } from '../limits/limits';

const DELIMITER = Buffer.alloc(8);

export interface Prelude {
  /** JSON text. */
  readonly metadata: string;
  /** The payload in the chunks that contained the metadata. */
  readonly rest: Buffer;
}

/**
 * Returns a parser that collects chunks and returns undefined until the delimiter is complete. It
 * throws GatewayError (500) after 16 KiB without a delimiter.
 */
export function createPreludeParser(): (chunk: Buffer) => Prelude | undefined {
  let held = Buffer.alloc(0);
  return (chunk) => {
    // The delimiter must end within the limit, so the search ends there too.
    const from = Math.max(0, held.length - DELIMITER.length + 1);
    const missing = QUOTAS.preludeBytes - held.length;
    const window = Buffer.concat([held, chunk.subarray(0, missing)]);
    const at = window.indexOf(DELIMITER, from);
    if (at >= 0) {
      const consumed = at + DELIMITER.length - held.length;
      return { metadata: window.toString('utf8', 0, at), rest: chunk.subarray(consumed) };
    }
    if (window.length >= QUOTAS.preludeBytes) {
      throw internalError(
        'the streamed response has no metadata delimiter within its first 16 KiB',
      );
    }
    held = window;
    return undefined;
  };
}

/**
 * Reads the metadata and leaves the body paused. Rejects with GatewayError (500) when the response
 * has no metadata, with DeadlineExceeded after `ms` milliseconds.
 */
export function readPrelude(body: Readable, ms: number): Promise<Prelude> {
  const parse = createPreludeParser();
  // Never removed: an error between two readers of the body must not end the process.
  body.on('error', () => {});
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => {
      clearTimeout(timer);
      body.off('data', onData).off('end', onEnd).off('error', onError).off('close', onEnd);
      body.pause();
      done();
    };
    const fail = (error: Error) =>
      settle(() => {
        reject(error);
        discard(body);
      });
    const onData = (chunk: Buffer) => {
      try {
        const prelude = parse(chunk);
        if (prelude) settle(() => resolve(prelude));
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const onEnd = () => fail(internalError('the streamed response ended within its metadata'));
    const onError = (error: Error) => fail(internalError(error.message));
    const timer = setTimeout(() => fail(new DeadlineExceeded()), ms).unref();
    body.on('data', onData).on('end', onEnd).on('error', onError).on('close', onEnd);
    if (body.errored) onError(body.errored);
    else if (body.readableEnded || body.destroyed) onEnd();
  });
}

/** Reads and discards the rest: a function runs to its end after its client has gone, as in AWS. */
export function discard(body: Readable): void {
  body.on('error', () => {}).resume();
}

/** The outcome of sending, and the payload bytes sent. */
export interface Relayed {
  readonly outcome: Outcome;
  readonly bytes: number;
}

export type Outcome = 'complete' | 'client gone' | `truncated: ${string}`;

interface Relay {
  readonly rest: Buffer;
  /** Maximum time without progress. */
  readonly idleMs: number;
  /** Time left until the integration times out. */
  readonly deadlineMs: number;
  /** HEAD, 204, 304: the payload is read, not sent. */
  readonly silent: boolean;
}

/**
 * Sends the payload. After the metadata, a failure can only be signalled by cutting the connection:
 * the response is destroyed, so that the client sees a missing last chunk.
 */
export function relayPayload(
  body: Readable,
  response: ServerResponse,
  relay: Relay,
): Promise<Relayed> {
  return new Promise((resolve) => new PayloadRelay(body, response, relay, resolve).start());
}

class PayloadRelay {
  private sent = 0;
  private isSettled = false;
  private readonly idle: NodeJS.Timeout;
  private readonly deadline: NodeJS.Timeout;

  constructor(
    private readonly body: Readable,
    private readonly response: ServerResponse,
    private readonly relay: Relay,
    private readonly resolve: (relayed: Relayed) => void,
  ) {
    const { idleMs, deadlineMs } = relay;
    this.idle = setTimeout(() => this.truncate(`no progress for ${idleMs} ms`), idleMs).unref();
    this.deadline = setTimeout(
      () => this.truncate('the integration timed out'),
      deadlineMs,
    ).unref();
  }

  start(): void {
    const { body, response, relay } = this;
    body.on('data', this.onData).on('end', this.onEnd);
    body.on('error', this.onError).on('close', this.onCut);
    response.on('close', this.onGone).on('drain', this.onDrain);
    if (response.destroyed) {
      this.onGone();
      return;
    }
    // A payload that is complete already goes out in one write with the head and the last chunk.
    response.cork();
    setImmediate(() => {
      if (!response.writableEnded) response.uncork();
    });
    if (relay.rest.length > 0) this.onData(relay.rest);
    // The body may have ended before these listeners were added.
    if (body.errored) this.onError(body.errored);
    else if (body.readableEnded) this.onEnd();
    else if (body.destroyed) this.onCut();
    else if (!response.writableNeedDrain) body.resume();
  }

  private readonly onData = (chunk: Buffer): void => {
    this.idle.refresh();
    if (this.relay.silent) return;
    this.sent += chunk.length;
    if (!this.response.write(chunk)) this.body.pause();
  };

  private readonly onDrain = () => {
    this.idle.refresh();
    this.body.resume();
  };

  private readonly onEnd = () => {
    this.response.end();
    this.settle('complete');
  };

  private readonly onError = (error: Error) => this.truncate(error.message);
  private readonly onCut = () => this.truncate('the function closed its stream early');
  private readonly onGone = () => this.settle('client gone');

  private truncate(reason: string): void {
    this.settle(`truncated: ${reason}`);
  }

  private settle(outcome: Outcome): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.idle);
    clearTimeout(this.deadline);
    const { body, response } = this;
    body.off('data', this.onData).off('end', this.onEnd);
    body.off('error', this.onError).off('close', this.onCut);
    response.off('close', this.onGone).off('drain', this.onDrain);
    if (outcome !== 'complete') {
      // What came before the failure goes out first: the client sees a status and a cut body.
      response.uncork();
      response.destroy();
      discard(body);
    }
    this.resolve({ outcome, bytes: this.sent });
  }
}
