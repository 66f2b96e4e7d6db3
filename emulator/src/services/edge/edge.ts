/**
 * Applies the rules of a CloudFront distribution to each request, in the process of the gateway.
 * emulator/README.md lists what is emulated.
 */
import type { IncomingMessage } from 'node:http';
import { randomId } from '../../values/random-ids';
import { hasBody } from '../rest-api/request/body';
import type { Behavior, EdgeModel, Origin } from './model';
import { RateCounter } from './rate-rule';
import type { HeadersPolicy } from './security-headers';
import { viewerEvent } from './viewer-event';
import { type Decision, FunctionFailure } from './viewer-request';

export interface EdgeResponse {
  readonly kind: 'response';
  readonly status: number;
  /** Name, value, name, value … */
  readonly headers: readonly string[];
  readonly body: string;
}

export interface Forward {
  readonly kind: 'forward';
  readonly origin: Origin;
  /** Path and query for the origin, without the origin's own path. */
  readonly url: string;
  /** Headers to add to the request: name, value, name, value … */
  readonly added: readonly string[];
  /** Headers to add to the response. */
  readonly policy: HeadersPolicy;
}

export interface Edge {
  /** Returns the response of the edge itself, or the origin to use. Never throws. */
  decide(request: IncomingMessage): EdgeResponse | Forward;
  /** Seconds for which errors of the origin are kept, by status. */
  readonly errorTtls: ReadonlyMap<number, number>;
}

/** "General quotas on distributions" */
const URL_LENGTH = 8192;

export function createEdge(
  model: EdgeModel,
  log: (line: string) => void,
  now: () => number = Date.now,
): Edge {
  const rates = model.rateRules.map((rule) => ({
    rule,
    counter: new RateCounter(rule.limit, now),
  }));
  const decide = (request: IncomingMessage, requestId: string): EdgeResponse | Forward => {
    const { method = '', url = '' } = request;
    const [asked = ''] = url.split('?');
    for (const { rule, counter } of rates) {
      if (!rule.matches(asked) || counter.admits(addressOf(request))) continue;
      const { status, headers, body } = rule;
      return { kind: 'response', status, headers, body };
    }
    if (!url.startsWith('/')) return failure(400, 'Bad request.');
    if (url.length > URL_LENGTH) return failure(414, 'The URL is too long.');
    const { path, query } = split(url);
    const normal = normalized(path);
    const behavior = model.behaviors.find(({ matches }) => matches(normal));
    if (behavior === undefined || !behavior.methods.includes(method)) {
      return failure(403, 'The distribution does not allow this method.');
    }
    if (method === 'GET' && hasBody(request)) return failure(403, 'A GET must not have a body.');
    const decision = runFunction(model, behavior, request, requestId);
    if (decision.kind === 'response') return decision;
    const { uri, originId, added = [] } = decision;
    const origin = originId === undefined ? behavior.origin : model.origins.get(originId);
    if (origin === undefined) throw new FunctionFailure(`there is no origin ${originId}`);
    // An unchanged URI is forwarded byte for byte.
    const changed = query === undefined ? uri : `${uri}?${query}`;
    return {
      kind: 'forward',
      origin,
      url: uri === path ? url : changed,
      added,
      policy: behavior.policy,
    };
  };

  return {
    errorTtls: model.errorTtls,
    decide: (request) => {
      const requestId = randomId(42, 'base64url');
      let result: EdgeResponse | Forward;
      try {
        result = decide(request, requestId);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log(`(${requestId}) edge: ${reason}`);
        result = failure(503, 'The function of the distribution failed.');
      }
      if (result.kind === 'forward') return result;
      return { ...result, headers: [...result.headers, 'X-Amz-Cf-Id', requestId] };
    },
  };
}

/** Returns the decision of the behaviour's function; without a function, the request unchanged. */
function runFunction(
  model: EdgeModel,
  behavior: Behavior,
  request: IncomingMessage,
  requestId: string,
): Decision {
  const { method = '', rawHeaders } = request;
  const { path: uri, query } = split(request.url ?? '');
  if (behavior.viewerRequest === undefined) return { kind: 'request', uri };
  const [distributionDomainName = ''] = model.domainNames;
  return behavior.viewerRequest(
    viewerEvent(
      { method, uri, query, rawHeaders, ip: addressOf(request) },
      { distributionDomainName, distributionId: model.id, requestId },
    ),
  );
}

function addressOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
}

/** Sets the custom headers of the origin in place of the client's. `raw`: name, value … */
export function withOriginHeaders(raw: readonly string[], { headers }: Origin): string[] {
  const own = new Set(headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()));
  const kept = raw.filter((_, at) => !own.has((raw[at - (at % 2)] ?? '').toLowerCase()));
  return [...kept, ...headers];
}

/** CloudFront reports its own errors as HTML pages, which cannot be customised. */
function failure(status: number, text: string): EdgeResponse {
  const body = `<HTML><BODY><H1>${status} ERROR</H1>${text}</BODY></HTML>\n`;
  return { kind: 'response', status, headers: ['Content-Type', 'text/html'], body };
}

function split(url: string): { readonly path: string; readonly query: string | undefined } {
  const mark = url.indexOf('?');
  return mark < 0
    ? { path: url, query: undefined }
    : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/**
 * Returns the path by which behaviours are chosen (RFC 3986, 6.2.2): without needless escapes, dot
 * segments and empty segments. The origin receives the path as sent. ("Cache behavior settings",
 * "Path pattern")
 */
export function normalized(path: string): string {
  const plain = path.replace(/%([0-9a-f]{2})/gi, (escaped, hex) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(character) ? character : escaped;
  });
  const segments: string[] = [];
  for (const segment of plain.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const isFolder = segments.length > 0 && /\/\.{0,2}$/.test(plain);
  return `/${segments.join('/')}${isFolder ? '/' : ''}`;
}
