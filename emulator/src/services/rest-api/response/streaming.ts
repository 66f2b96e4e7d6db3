/**
 * Response streaming (aws-facts 2.1): JSON metadata, eight NUL bytes, payload. The payload goes to
 * the client as it comes, with the client's pace as the function's pace, so memory does not grow
 * with its size.
 */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { DeadlineExceeded } from '../deadline';
import { QUOTAS } from '../limits';
import { internalError } from './gateway-responses';

const DELIMITER = Buffer.alloc(8);

export interface Prelude {
  /** JSON text. */
  readonly metadata: string;
  /** Payload that came in the same chunks. */
  readonly rest: Buffer;
}

/**
 * Collects chunks until the delimiter is complete; undefined: more is needed. Throws GatewayError
 * (500) past 16 KiB.
 */
export function createPreludeParser(): (chunk: Buffer) => Prelude | undefined {
  let held = Buffer.alloc(0);
  return (chunk) => {
    // The delimiter must end within the limit, so what lies beyond need not be searched.
    const from = Math.max(0, held.length - DELIMITER.length + 1);
    const missing = QUOTAS.preludeBytes - held.length;
    const window = Buffer.concat([held, chunk.subarray(0, missing)]);
    const at = window.indexOf(DELIMITER, from);
    if (at >= 0) {
      const consumed = at + DELIMITER.length - held.length;
      return { metadata: window.toString('utf8', 0, at), rest: chunk.subarray(consumed) };
    }
    if (window.length >= QUOTAS.preludeBytes) {
      throw internalError('the streamed answer has no metadata delimiter within its first 16 KiB');
    }
    held = window;
    return undefined;
  };
}

/**
 * Throws GatewayError (500) when the answer has none, DeadlineExceeded when it takes too long.
 * Leaves the body paused.
 */
export function readPrelude(body: Readable, ms: number): Promise<Prelude> {
  const parse = createPreludeParser();
  // Stays for ever: between two owners of the body an error must not end the process.
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
    const onEnd = () => fail(internalError('the streamed answer ended before its metadata did'));
    const onError = (error: Error) => fail(internalError(error.message));
    const timer = setTimeout(() => fail(new DeadlineExceeded()), ms).unref();
    body.on('data', onData).on('end', onEnd).on('error', onError).on('close', onEnd);
    if (body.errored) onError(body.errored);
    else if (body.readableEnded || body.destroyed) onEnd();
  });
}

/**
 * Reads the rest and throws it away: a function whose client is gone runs to its end, as in AWS.
 */
export function discard(body: Readable): void {
  body.on('error', () => {}).resume();
}

/** How the sending ended, and the payload bytes that were sent. */
export interface Relayed {
  readonly outcome: Outcome;
  readonly bytes: number;
}

export type Outcome = 'complete' | 'client gone' | `truncated: ${string}`;

interface Relay {
  readonly rest: Buffer;
  /** Exactly so many bytes were announced in Content-Length. */
  readonly contentLength?: number;
  /** Nothing moved for so long. */
  readonly idleMs: number;
  /** What is left of the integration's time. */
  readonly deadlineMs: number;
  /** HEAD, 204, 304: the payload is read, not sent. */
  readonly silent: boolean;
}

/**
 * Sends the payload. Any failure after the metadata can only be shown by a cut connection: the
 * response is destroyed, so that neither a missing last chunk nor a short Content-Length can be
 * taken for the whole.
 */
export function relayPayload(
  body: Readable,
  response: ServerResponse,
  relay: Relay,
): Promise<Relayed> {
  return new Promise((resolve) => {
    let sent = 0;
    let settled = false;
    const settle = (outcome: Outcome) => {
      if (settled) return;
      settled = true;
      clearTimeout(idle);
      clearTimeout(deadline);
      body.off('data', onData).off('end', onEnd).off('error', onError).off('close', onCut);
      response.off('close', onGone).off('drain', onDrain);
      if (outcome !== 'complete') {
        response.destroy();
        discard(body);
      }
      resolve({ outcome, bytes: sent });
    };
    const truncate = (reason: string) => settle(`truncated: ${reason}`);
    const idle = setTimeout(
      () => truncate(`nothing moved for ${relay.idleMs} ms`),
      relay.idleMs,
    ).unref();
    const deadline = setTimeout(
      () => truncate('the integration timed out'),
      relay.deadlineMs,
    ).unref();
    const onData = (chunk: Buffer): void => {
      idle.refresh();
      if (relay.silent) return;
      sent += chunk.length;
      if (sent > (relay.contentLength ?? sent)) truncate('longer than its Content-Length');
      else if (!response.write(chunk)) body.pause();
    };
    const onDrain = () => {
      idle.refresh();
      body.resume();
    };
    const onEnd = () => {
      const short = !relay.silent && sent < (relay.contentLength ?? sent);
      if (short) return truncate('shorter than its Content-Length');
      response.end();
      settle('complete');
    };
    const onError = (error: Error) => truncate(error.message);
    const onCut = () => truncate('the function closed its stream early');
    const onGone = () => settle('client gone');
    body.on('data', onData).on('end', onEnd).on('error', onError).on('close', onCut);
    response.on('close', onGone).on('drain', onDrain);
    if (response.destroyed) return onGone();
    if (relay.rest.length > 0) onData(relay.rest);
    // What happened before these listeners were there.
    if (body.errored) onError(body.errored);
    else if (body.readableEnded) onEnd();
    else if (body.destroyed) onCut();
    else if (!response.writableNeedDrain) body.resume();
  });
}
