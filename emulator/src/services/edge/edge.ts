/**
 * CloudFront on one machine: a stage in the way of each request, no hop of the network. emulator/README.md lists what
 * is emulated.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hasBody } from '../rest-api/request/body';
import type { Behavior, EdgeModel, Origin } from './model';
import type { SecurityHeader } from './security-headers';
import { viewerEvent } from './viewer-event';
import { type Decision, FunctionFailure } from './viewer-request';

export interface EdgeAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** Name, value, name, value … */
  readonly headers: readonly string[];
  readonly body: string;
}

export interface Forward {
  readonly kind: 'forward';
  readonly origin: Origin;
  /** Path and query for the origin, to be put behind its own path. */
  readonly url: string;
  /** For the answer. */
  readonly headers: readonly SecurityHeader[];
}

export interface Edge {
  /** What becomes of a request: an answer at once, or an origin. Never throws. */
  judge(request: IncomingMessage): EdgeAnswer | Forward;
}

/** "General quotas on distributions" */
const URL_LENGTH = 8192;

export function createEdge(model: EdgeModel, log: (line: string) => void): Edge {
  const [distributionDomainName = ''] = model.domainNames;

  const decide = (behavior: Behavior, request: IncomingMessage, requestId: string): Decision => {
    const { method = '', rawHeaders, socket } = request;
    const { path: uri, query } = split(request.url ?? '');
    if (behavior.viewerRequest === undefined) return { kind: 'request', uri };
    const ip = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    return behavior.viewerRequest(
      viewerEvent(
        { method, uri, query, rawHeaders, ip },
        { distributionDomainName, distributionId: model.id, requestId },
      ),
    );
  };

  const judge = (request: IncomingMessage, requestId: string): EdgeAnswer | Forward => {
    const { method = '', url = '' } = request;
    if (!url.startsWith('/')) return failure(400, 'Bad request.');
    if (url.length > URL_LENGTH) return failure(414, 'The URL is too long.');
    const { path, query } = split(url);
    const normal = normalized(path);
    const behavior = model.behaviors.find(({ matches }) => matches(normal));
    if (behavior === undefined || !behavior.methods.includes(method)) {
      return failure(403, 'The distribution does not allow this method.');
    }
    if (method === 'GET' && hasBody(request)) return failure(403, 'A GET may have no body.');
    const decision = decide(behavior, request, requestId);
    if (decision.kind === 'answer') return decision;
    const { uri, originId } = decision;
    const origin = originId === undefined ? behavior.origin : model.origins.get(originId);
    if (origin === undefined) throw new FunctionFailure(`there is no origin ${originId}`);
    // What the function leaves alone goes on byte for byte.
    const changed = query === undefined ? uri : `${uri}?${query}`;
    return {
      kind: 'forward',
      origin,
      url: uri === path ? url : changed,
      headers: behavior.headers,
    };
  };

  return {
    judge: (request) => {
      const requestId = randomBytes(42).toString('base64url');
      let verdict: EdgeAnswer | Forward;
      try {
        verdict = judge(request, requestId);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log(`(${requestId}) edge: ${reason}`);
        verdict = failure(503, 'The function of the distribution failed.');
      }
      if (verdict.kind === 'forward') return verdict;
      return { ...verdict, headers: [...verdict.headers, 'X-Amz-Cf-Id', requestId] };
    },
  };
}

/** CloudFront's own errors are pages, which nothing gives our shape. */
function failure(status: number, text: string): EdgeAnswer {
  const body = `<HTML><BODY><H1>${status} ERROR</H1>${text}</BODY></HTML>\n`;
  return { kind: 'answer', status, headers: ['Content-Type', 'text/html'], body };
}

function split(url: string): { readonly path: string; readonly query: string | undefined } {
  const mark = url.indexOf('?');
  return mark < 0
    ? { path: url, query: undefined }
    : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/**
 * The path by which behaviours are chosen, RFC 3986, 6.2.2: escapes that need not be, dot segments
 * and empty segments are gone. The origin gets the path as it came. ("Cache behavior settings",
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
