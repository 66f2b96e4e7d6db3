/** Opens links, for everybody: a page for people, the bytes for programs. */
import { ServiceError } from '../../core/errors';
import { LINK_LIMITS } from '../../core/limits';
import {
  fileNameOf,
  findLink,
  type OpenableLink,
  type OpenLinkDeps,
  openLink,
} from '../../core/links/open-link';
import type { Log } from '../../core/system';
import { knownError } from '../http/known-error';
import { type HttpRequest, httpRequestOf, type IncomingRequest } from '../http/request';
import { errorResponse, type HttpResponse, jsonResponse, withoutBody } from '../http/response';
import { LINK_PATH, LINK_SECRET } from '../routes/routes';
import { LINK_HEADERS, linkPage } from './link-page';

export interface LinksDeps extends OpenLinkDeps {
  /** The origin of the signed URLs. */
  readonly contentOrigin: string;
  readonly log: Log;
}

export function isLink({ path }: Pick<IncomingRequest, 'path'>): boolean {
  return path.startsWith(LINK_PATH);
}

/**
 * GET shows the page, or with `?download` uses the link up once and redirects to the bytes; POST
 * does the latter with a password. HEAD uses none up, and neither do the requests by which browsers
 * and chat programs look ahead: they ask for no download. AWS calls: those of findLink, and with a
 * download those of openLink.
 */
export function createLinks(deps: LinksDeps) {
  return async (incoming: IncomingRequest): Promise<HttpResponse> => {
    const { requestId } = incoming;
    const wants = wantedBy(incoming);
    const response = await respond(deps, incoming, wants).catch((error: unknown) => {
      const known = knownError(error);
      if (known.status >= 500) deps.log.error('request_failed', { requestId, error });
      if (wants !== 'page') return withLinkHeaders(errorResponse(known, requestId));
      return withHeaders(problemPage(deps, known), known.headers);
    });
    return incoming.method === 'HEAD' ? withoutBody(response) : response;
  };
}

async function respond(
  deps: LinksDeps,
  incoming: IncomingRequest,
  wants: Wanted,
): Promise<HttpResponse> {
  const request = httpRequestOf(incoming);
  const name = request.path.slice(LINK_PATH.length);
  const secret = request.query(LINK_SECRET);
  const found = await findLink(deps, { name, secret });
  if (!found) throw noLink();
  const isPost = request.method === 'POST';
  const downloads = isPost || wants === 'bytes' || request.query('download') !== undefined;
  const isLocked = found.link.password !== undefined;
  if (!downloads || request.method === 'HEAD') return description(deps, found, request, wants);
  if (isLookAhead(request)) throw new ServiceError('unavailable', { message: NO_LOOK_AHEAD });
  if (!isPost && isLocked && wants === 'page') return description(deps, found, request, wants);
  const url = await openLink(deps, found, isPost ? passwordIn(request) : undefined);
  if (url === undefined) throw noLink();
  // 303 turns the POST into a GET: a 307 would send the password to S3.
  const status = isPost ? 303 : 307;
  return { status, headers: { ...LINK_HEADERS, Location: url } };
}

const NO_LOOK_AHEAD = 'a link is not downloaded ahead of time; ask again when somebody wants it';

/** RFC 9110 has none of these headers: browsers send them with requests that nobody asked for. */
function isLookAhead({ header }: HttpRequest): boolean {
  return ['purpose', 'sec-purpose', 'x-purpose', 'x-moz'].some((name) =>
    /prefetch|preview|prerender/i.test(header(name) ?? ''),
  );
}

type Wanted = 'page' | 'json' | 'bytes';

/**
 * A client that accepts anything gets the page: chat programs send no other Accept than curl does,
 * and their previews must not use a link up.
 */
function wantedBy({ headers }: IncomingRequest): Wanted {
  const [, values = []] =
    Object.entries(headers).find(([name]) => name.toLowerCase() === 'accept') ?? [];
  const accept = values.at(-1) ?? '';
  if (accept === '' || /text\/html|\*\/\*/i.test(accept)) return 'page';
  return /application\/json/i.test(accept) ? 'json' : 'bytes';
}

/** The object that the link leads to. A link with a password shows nothing of it. */
function description(
  deps: LinksDeps,
  { link, object }: OpenableLink,
  request: HttpRequest,
  wants: Wanted,
): HttpResponse {
  const isLocked = link.password !== undefined;
  const { size, contentType } = object;
  const name = fileNameOf(object.key);
  if (wants === 'page') {
    const { note } = link;
    const view = isLocked
      ? { kind: 'password' as const }
      : { kind: 'file' as const, name, size, note, secret: request.query(LINK_SECRET) ?? '' };
    return linkPage(200, view, deps.contentOrigin);
  }
  const about = isLocked ? {} : { name, size, content_type: contentType };
  return withLinkHeaders(jsonResponse(200, { needs_password: isLocked, ...about }));
}

/** Returns undefined when the form has no password, or the body is not a form. */
function passwordIn({ body, header }: HttpRequest): string | undefined {
  if (body.length > LINK_LIMITS.formBytes) {
    throw new ServiceError('payload_too_large', {
      message: `the form exceeds ${LINK_LIMITS.formBytes} bytes`,
    });
  }
  const type = header('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) return undefined;
  return new URLSearchParams(Buffer.from(body).toString()).get('password') ?? undefined;
}

function problemPage(deps: LinksDeps, { code, status }: ServiceError): HttpResponse {
  if (code === 'forbidden') {
    const problem = 'That is not the password. Please try again.';
    return linkPage(status, { kind: 'password', problem }, deps.contentOrigin);
  }
  const [title, text] = PROBLEMS[code] ?? OTHER;
  return linkPage(status, { kind: 'problem', title, text }, deps.contentOrigin);
}

const OTHER = ['Something went wrong', 'Please try again in a moment.'] as const;

const PROBLEMS: Readonly<Record<string, readonly [title: string, text: string]>> = {
  not_found: [
    'This link does not work',
    'It may have expired or been withdrawn. Ask the sender for another one.',
  ],
  rate_limited: ['Too many attempts', 'Please wait a minute, then try the password again.'],
};

/** The same whatever the reason, so that nobody learns which links ever existed. */
function noLink(): ServiceError {
  return new ServiceError('not_found', {
    message: 'this link does not exist, or can no longer be opened',
  });
}

function withLinkHeaders(response: HttpResponse): HttpResponse {
  return withHeaders(response, LINK_HEADERS);
}

function withHeaders(response: HttpResponse, headers: HttpResponse['headers']): HttpResponse {
  return { ...response, headers: { ...response.headers, ...headers } };
}
