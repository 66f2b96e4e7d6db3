/**
 * Serves the dashboard's files. They are public: the data that the page shows comes from the
 * interfaces, with the key of the person who signed in.
 */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ServiceError } from '../../core/errors';
import type { App } from '../http/app';
import { errorResponse, type HttpResponse, withoutBody } from '../http/response';
import type { SiteFile } from './files';
import { type OtherOrigins, securityHeaders } from './security-headers';

export interface SiteDeps {
  readonly files: ReadonlyMap<string, SiteFile>;
  readonly origins: OtherOrigins;
}

export function createSite({ files, origins }: SiteDeps): App {
  const headers = securityHeaders(origins);
  return async (event) => {
    const { requestId, path } = event.requestContext;
    const file = files.get(event.path);
    if (file === undefined) {
      const response = errorResponse(new ServiceError('not_found'), requestId);
      return event.httpMethod === 'HEAD' ? withoutBody(response) : response;
    }
    // `…/stage` without a slash: the browser would resolve the page's relative paths against the
    // parent of the stage.
    if (event.path === '/' && !path.endsWith('/')) {
      return { status: 308, headers: { Location: `${path}/`, 'Cache-Control': 'no-store' } };
    }
    return fileResponse(file, event, headers);
  };
}

function fileResponse(
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
  const known = headerOf(event, 'if-none-match').split(',');
  if (known.some((tag) => tag.trim() === file.etag)) return { status: 304, headers };
  const compressed = acceptsGzip(headerOf(event, 'accept-encoding')) ? file.gzip : undefined;
  const body = compressed ?? file.bytes;
  const described = {
    ...headers,
    'Content-Type': file.type,
    ...(compressed && { 'Content-Encoding': 'gzip' }),
  };
  if (event.httpMethod === 'HEAD') return { status: 200, headers: described };
  return { status: 200, headers: described, body };
}

/** Whether Accept-Encoding allows gzip (RFC 9110 §12.5.3): a weight of 0 excludes it. */
function acceptsGzip(accepted: string): boolean {
  return accepted.split(',').some((item) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(item));
}

function headerOf(event: APIGatewayProxyEvent, name: string): string {
  const found = Object.entries(event.headers ?? {}).find(([given]) => given.toLowerCase() === name);
  return found?.[1] ?? '';
}
