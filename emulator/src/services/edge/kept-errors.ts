/**
 * Keeps error responses of the origin as CloudFront does, also where the cache policy is
 * CachingDisabled. Sources: "How CloudFront processes and caches HTTP 4xx and 5xx status codes from
 * your origin" and "Control how long CloudFront caches errors".
 */
import type { ServerResponse } from 'node:http';
import { readFields } from '../rest-api/request/headers';
import type { Exchange } from '../rest-api/response/exchange';

export interface KeptError {
  readonly status: number;
  /** The headers of the origin without framing: name, value, name, value … */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** A response to HEAD has no body for a GET. */
  readonly method: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Kept whatever the origin says, except where the set below has the status too. */
const ALWAYS = new Set([404, 405, 410, 414, 500, 501, 502, 503, 504]);
/** Not kept when Cache-Control has no-store, no-cache or private. */
const OBEYED = new Set([404, 410, 414, 501]);
/** Kept only when Cache-Control has max-age or s-maxage. */
const ON_REQUEST = new Set([400, 403, 412, 415]);

/** Seconds, for a status that the distribution does not list. */
const DEFAULT_TTL = 10;

/** Bounds of the emulator's own. */
const MAX_BODY = 16 * 1024;
const MAX_KEPT = 1000;

const FRAMING = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

/** The error responses that an edge location holds, by path. */
export class KeptErrors {
  private readonly byPath = new Map<string, KeptError>();

  constructor(
    /** Seconds by status: the distribution's CustomErrorResponses. */
    private readonly ttls: ReadonlyMap<number, number>,
    private readonly now: () => number,
  ) {}

  /**
   * Returns the response to send in place of the origin's. CachingDisabled has neither the query
   * nor a header in the key, so callers share it.
   */
  find(method: string | undefined, path: string): KeptError | undefined {
    const kept = this.byPath.get(path);
    if (kept === undefined || kept.until <= this.now()) return undefined;
    return method === kept.method || method === 'HEAD' ? kept : undefined;
  }

  /** Keeps the response of the exchange, once it was sent completely, if it is such an error. */
  watch(exchange: Exchange, path: string): void {
    const { request, response } = exchange;
    const { method = '' } = request;
    if (method !== 'GET' && method !== 'HEAD') return;
    const edit = exchange.editHeaders;
    exchange.editHeaders = (given, status) => {
      const seconds = this.secondsFor(status, given);
      if (seconds > 0) {
        collect(response, (body) =>
          this.keep(path, {
            ...{ status, body, method },
            headers: withoutFraming(given),
            until: this.now() + seconds * 1000,
          }),
        );
      }
      return edit?.(given, status) ?? [...given];
    };
  }

  /** The policy's greatest time to live is 0, so a max-age of the origin never lengthens it. */
  private secondsFor(status: number, headers: readonly string[]): number {
    const directives = readFields(headers).get('cache-control')?.values.join(',') ?? '';
    const isKept = ALWAYS.has(status)
      ? !(OBEYED.has(status) && /\b(?:no-store|no-cache|private)\b/i.test(directives))
      : ON_REQUEST.has(status) && /\b(?:max-age|s-maxage)=/i.test(directives);
    return isKept ? (this.ttls.get(status) ?? DEFAULT_TTL) : 0;
  }

  private keep(path: string, error: KeptError): void {
    this.byPath.delete(path);
    this.byPath.set(path, error);
    const [oldest] = this.byPath.keys();
    if (this.byPath.size > MAX_KEPT && oldest !== undefined) this.byPath.delete(oldest);
  }
}

function withoutFraming(headers: readonly string[]): string[] {
  return headers.filter((_, i) => !FRAMING.has((headers[i - (i % 2)] ?? '').toLowerCase()));
}

/** Calls `then` with the body of a response that was sent completely and is not too long. */
function collect(response: ServerResponse, then: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for (const name of ['write', 'end'] as const) {
    const send = response[name].bind(response) as (...parts: unknown[]) => unknown;
    const collecting = (...parts: unknown[]) => {
      const [chunk] = parts;
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) {
        bytes += chunk.length;
        if (bytes <= MAX_BODY) chunks.push(Buffer.from(chunk as string));
      }
      return send(...parts);
    };
    Object.defineProperty(response, name, { value: collecting });
  }
  response.once('finish', () => {
    if (bytes <= MAX_BODY) then(Buffer.concat(chunks));
  });
}
