/**
 * Serves the dashboard's files. They are public: the data that the page shows comes from the
 * interfaces, with the key of the person who signed in.
 */
import { ServiceError } from '../../core/errors';
import type { App } from '../http/app';
import type { IncomingRequest } from '../http/request';
import { errorResponse, type HttpResponse, withoutBody } from '../http/response';
import type { SiteFile } from './files';
import { type OtherOrigins, securityHeaders } from './security-headers';

export interface SiteDeps {
  readonly files: ReadonlyMap<string, SiteFile>;
  readonly origins: OtherOrigins;
}

export function createSite({ files, origins }: SiteDeps): App {
  const headers = securityHeaders(origins);
  return async (request) => {
    const { method, path, requestId } = request;
    const file = files.get(path);
    if (file !== undefined) return fileResponse(file, request, headers);
    const response = errorResponse(new ServiceError('not_found'), requestId);
    return method === 'HEAD' ? withoutBody(response) : response;
  };
}

function fileResponse(
  file: SiteFile,
  request: IncomingRequest,
  security: Readonly<Record<string, string>>,
): HttpResponse {
  const headers = {
    ...security,
    'Cache-Control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: file.etag,
    Vary: 'Accept-Encoding',
  };
  const known = headerOf(request, 'if-none-match').split(',');
  if (known.some((tag) => tag.trim() === file.etag)) return { status: 304, headers };
  const compressed = acceptsGzip(headerOf(request, 'accept-encoding')) ? file.gzip : undefined;
  const body = compressed ?? file.bytes;
  const described = {
    ...headers,
    'Content-Type': file.type,
    ...(compressed && { 'Content-Encoding': 'gzip' }),
  };
  if (request.method === 'HEAD') return { status: 200, headers: described };
  return { status: 200, headers: described, body };
}

/** Reports whether Accept-Encoding allows gzip (RFC 9110 §12.5.3): a weight of 0 excludes it. */
function acceptsGzip(accepted: string): boolean {
  return accepted.split(',').some((item) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(item));
}

/** Returns the header's last value; empty when the request has none. */
function headerOf({ headers }: IncomingRequest, name: string): string {
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name);
  return found?.[1].at(-1) ?? '';
}
