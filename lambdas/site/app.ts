/**
 * Serves the dashboard's files. They are public: what they show comes from the interfaces, with the
 * key of who looks.
 */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ServiceError } from '../../core/errors';
import { errorResponse, type HttpResponse, withoutBody } from '../shared/http/response';
import type { App } from '../shared/http/response-transport';
import type { SiteFile } from './files';
import { securityHeaders } from './security-headers';

export interface SiteDeps {
  readonly files: ReadonlyMap<string, SiteFile>;
  /** Origins that the page talks to beside its own. */
  readonly connectTo: readonly string[];
}

export function createSite({ files, connectTo }: SiteDeps): App {
  const headers = securityHeaders(connectTo);
  return async (event) => {
    const { requestId, path } = event.requestContext;
    const file = files.get(event.path);
    if (file === undefined) {
      const answer = errorResponse(new ServiceError('not_found'), requestId);
      return event.httpMethod === 'HEAD' ? withoutBody(answer) : answer;
    }
    // `…/stage` without a slash: the page's files, named relative to it, would be looked for beside
    // the stage.
    if (event.path === '/' && !path.endsWith('/')) {
      return { status: 308, headers: { Location: `${path}/`, 'Cache-Control': 'no-store' } };
    }
    return fileAnswer(file, event, headers);
  };
}

function fileAnswer(
  file: SiteFile,
  event: APIGatewayProxyEvent,
  security: Readonly<Record<string, string>>,
): HttpResponse {
  const headers = {
    ...security,
    'Cache-Control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: file.etag,
    Vary: 'Accept-Encoding',
  };
  if (
    headerOf(event, 'if-none-match')
      .split(/\s*,\s*/)
      .includes(file.etag)
  ) {
    return { status: 304, headers };
  }
  const compressed = takesGzip(headerOf(event, 'accept-encoding')) ? file.gzip : undefined;
  const body = compressed ?? file.bytes;
  const described = {
    ...headers,
    'Content-Type': file.type,
    ...(compressed && { 'Content-Encoding': 'gzip' }),
  };
  if (event.httpMethod === 'HEAD') return { status: 200, headers: described };
  return { status: 200, headers: described, body };
}

/** RFC 9110 §12.5.3; a weight of 0 says no. */
function takesGzip(accepted: string): boolean {
  return accepted.split(',').some((item) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(item));
}

function headerOf(event: APIGatewayProxyEvent, wanted: string): string {
  const found = Object.entries(event.headers ?? {}).find(([name]) => name.toLowerCase() === wanted);
  return found?.[1] ?? '';
}
