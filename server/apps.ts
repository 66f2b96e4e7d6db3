/** The apps of the service over one set of stores, and which of them answers a request. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../core/errors';
import { UNTRUSTED_CONTENT_HEADERS } from '../core/http/inert';
import { LIMITS } from '../core/limits';
import type { Log } from '../core/system';
import { type IngestDeps, ingestBlob } from '../core/uploads/uploads';
import { createAdmin } from '../service/administration/app';
import type { AdminDeps } from '../service/administration/deps';
import type { KnownClaims } from '../service/authentication';
import { createChanges } from '../service/changes-api';
import { createDownload } from '../service/download-api';
import { type App, withErrorBoundary } from '../service/http/app';
import { headersOf, type IncomingRequest } from '../service/http/request';
import { errorResponse, type HttpResponse } from '../service/http/response';
import { createLinks, isLink, type LinksDeps } from '../service/links/links';
import type { ApiDeps, ChangesDeps } from '../service/operations/deps';
import { BASE_PATH, NO_VALID_KEY, routeOf } from '../service/routes/routes';
import { readSite } from '../service/site/files';
import { createSite } from '../service/site/site';
import { createApi } from '../service/storage-api';
import type { Cors } from './cors';
import { dropRest, queryOf, requestOf, requireFits, send } from './incoming';
import type { LocalIssuer } from './sign-in/local-issuer';
import type { LocalStores } from './stores';
import { CHANNEL_PATH } from './web-sockets';

/** Requests that may wait for a change at once. */
const MAX_WAITING = 1000;

const ADMIN_PATH = '/admin/v1/';

const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
};

export type AppDeps = ApiDeps &
  Omit<ChangesDeps, 'maxWaiting'> &
  IngestDeps &
  Omit<LinksDeps, 'contentOrigin'> &
  Omit<AdminDeps, 'verify' | 'tiers' | 'config'>;

export interface AppSettings {
  /** Where clients reach the server: `http://127.0.0.1:7070`. */
  readonly url: string;
  readonly claims: KnownClaims;
  readonly cors: Cors;
  readonly admin: Pick<AdminDeps, 'verify' | 'tiers' | 'config'>;
  /** Absent: another issuer signs administrators in. */
  readonly issuer?: LocalIssuer;
  /** The folder with the files of the dashboard. Absent: there is none. */
  readonly dashboard?: string;
  /** Origins that the dashboard calls beside that of the server. */
  readonly connectTo?: readonly string[];
  /** Called when the response to a request begins. */
  readonly answered?: (request: Answered) => void;
}

/** What is known of a request that has been answered. */
export interface Answered {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly keyId?: string;
}

/** Mutable while the request runs. */
interface Trace {
  readonly requestId: string;
  route: string;
  keyId?: string;
}

type Answer = (message: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Returns what answers each request of an HTTP server. Never throws. */
export function createAnswer(deps: AppDeps, stores: LocalStores, settings: AppSettings): Answer {
  const { cors, answered } = settings;
  const apps = createApps(deps, stores, settings);
  return async (message, response) => {
    const began = performance.now();
    const trace: Trace = { requestId: randomUUID(), route: 'other' };
    const shared = isForPages(message) ? cors.headersFor(message.headers.origin) : {};
    const more = { ...SECURITY_HEADERS, ...shared };
    const report = (status: number) =>
      answered?.({
        ...{ ...trace, status, method: message.method ?? 'GET' },
        milliseconds: performance.now() - began,
      });
    try {
      const found = await respond(apps, settings, message, trace);
      report(found.status);
      await send(found, response, more);
      dropRest(message);
    } catch (error) {
      if (response.headersSent || response.destroyed) {
        const { requestId, route } = trace;
        // A client that left is no failure.
        if (!message.destroyed) deps.log.error('response_failed', { requestId, route, error });
        return void response.destroy();
      }
      const known = await refusal(deps.log, error, message, trace);
      report(known.status);
      await send(known, response, more).catch(() => response.destroy());
      dropRest(message);
    }
  };
}

function refusal(
  log: Log,
  error: unknown,
  { method = 'GET' }: IncomingMessage,
  { requestId }: Trace,
): Promise<HttpResponse> {
  return withErrorBoundary({ log }, { method, requestId }, () => Promise.reject(error));
}

type Apps = ReturnType<typeof createApps>;

function createApps(deps: AppDeps, stores: LocalStores, settings: AppSettings) {
  const { url, admin, dashboard, connectTo = [] } = settings;
  const syncUrl = channelUrl(url);
  const origins = { connectTo: [new URL(syncUrl).origin, ...connectTo], show: [url] };
  return {
    storage: createApi({
      ...deps,
      tickets: { subscriptions: stores.subscriptions, syncUrl },
      linksAndKeys: { links: stores.links, apiKeys: stores.apiKeys, baseUrl: `${url}/` },
    }),
    download: createDownload(deps),
    changes: createChanges({ ...deps, maxWaiting: MAX_WAITING }),
    links: createLinks({ ...deps, contentOrigin: url }),
    admin: createAdmin({ ...deps, ...admin }),
    site: dashboard === undefined ? undefined : siteOf(dashboard, origins),
    content: async (message: IncomingMessage, signed: string): Promise<HttpResponse> => {
      const headers = message.headers as Readonly<Record<string, string | undefined>>;
      const request = { method: message.method ?? 'GET', signed, headers, body: message };
      const response = await stores.answerContent(request);
      if (response.stored !== undefined) await ingestBlob(deps, response.stored);
      return { ...response, headers: { ...response.headers, ...harmless(response) } };
    },
  };
}

/**
 * Content is anybody's, and has the origin of the service here: a browser runs nothing of it. PDFs
 * are the exception, because viewers show none in a sandbox, and none runs anything in the origin.
 * The type must be exactly this one: browsers read others out of a list or a parameter.
 */
function harmless({ headers }: HttpResponse): Readonly<Record<string, string>> {
  if (headers['content-type'] !== 'application/pdf') return UNTRUSTED_CONTENT_HEADERS;
  const { 'X-Content-Type-Options': noSniffing } = UNTRUSTED_CONTENT_HEADERS;
  return { 'X-Content-Type-Options': noSniffing, 'X-Frame-Options': 'SAMEORIGIN' };
}

function siteOf(folder: string, origins: Parameters<typeof createSite>[0]['origins']) {
  const files = readSite(folder);
  return { files, app: createSite({ files, origins }) };
}

/** Where channels are opened: `ws://127.0.0.1:7070/api/v2/storage/sync`. */
export function channelUrl(url: string): string {
  return `${url.replace(/^http/, 'ws')}${CHANNEL_PATH}`;
}

async function respond(
  apps: Apps,
  settings: AppSettings,
  message: IncomingMessage,
  trace: Trace,
): Promise<HttpResponse> {
  const target = message.url ?? '/';
  if (!URL.canParse(target, 'http://service')) {
    throw new ServiceError('invalid_request', { message: 'the target of the request is no path' });
  }
  const url = new URL(target, 'http://service');
  if (isPreflight(message)) return preflight(settings.cors, message);
  const signed = url.searchParams.get('signed');
  if (url.pathname === '/content' && signed !== null) {
    trace.route = 'content';
    return apps.content(message, signed);
  }
  if (url.pathname === '/healthz') return { status: 200, headers: {}, body: 'ok\n' };
  // Ahead of everything, as the edge of a deployment does.
  requireFits(message, LIMITS.inlineUploadBytes);
  const { requestId } = trace;
  if (url.pathname.startsWith(`${BASE_PATH}/`))
    return ofKey(apps, settings, { message, url }, trace);
  const request = await requestOf(message, { url, requestId, mostBytes: LIMITS.jsonBodyBytes });
  if (isLink(request)) return apps.links(request);
  if (request.path.startsWith(ADMIN_PATH)) {
    trace.route = 'administration';
    return apps.admin(request);
  }
  return page(apps, settings, request);
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** The dashboard has the server's own origin: no other page may use what it uses. */
function isForPages({ url = '/' }: IncomingMessage): boolean {
  const [path = '/'] = url.split('?');
  return path.startsWith(`${BASE_PATH}/`) || path === '/content' || isLink({ path });
}

function preflight(cors: Cors, message: IncomingMessage): HttpResponse {
  const { origin } = message.headers;
  if (isForPages(message) && cors.allows(origin)) {
    return { status: 204, headers: cors.preflightFor(origin) };
  }
  throw new ServiceError('forbidden', {
    message: 'pages of this origin may not use the service: allow it by --origin',
  });
}

/** Answers a request of the storage interface for its key, without which no body is read. */
async function ofKey(
  apps: Apps,
  { claims }: AppSettings,
  { message, url }: { readonly message: IncomingMessage; readonly url: URL },
  trace: Trace,
): Promise<HttpResponse> {
  const claim = await claims.of(message.headers.authorization ?? '');
  const { requestId } = trace;
  if (claim === undefined) {
    trace.route = routeOf({
      method: message.method ?? 'GET',
      path: url.pathname,
      query: queryOf(url.searchParams),
    });
    throw new ServiceError('unauthorized', {
      message: NO_VALID_KEY,
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  trace.keyId = claim.keyId;
  const request = await requestOf(message, {
    ...{ url, requestId },
    mostBytes: LIMITS.inlineUploadBytes,
  });
  trace.route = routeOf(request);
  return appOf(apps, request)({ ...request, claim });
}

/** The app whose operation may wait, read or write. */
function appOf(apps: Apps, { method, path }: IncomingRequest): App {
  const isRead = method === 'GET' || method === 'HEAD';
  if (path === CHANNEL_PATH) return apps.changes;
  return isRead && /^[^?]*\/objects\/[^/]+\/./.test(path) ? apps.download : apps.storage;
}

/** Answers a request of a browser: the sign-in, or a file of the dashboard. */
async function page(
  { site }: Apps,
  { url, issuer }: AppSettings,
  request: IncomingRequest,
): Promise<HttpResponse> {
  const isFile = site?.files.has(request.path) === true;
  // The sign-in returns to one address only. Other names of this machine lead there.
  if (request.path === '/' && isFile && headersOf(request).get('host') !== new URL(url).host) {
    return { status: 307, headers: { Location: `${url}/`, 'Cache-Control': 'no-store' } };
  }
  const signIn = await issuer?.answer(request);
  if (signIn) return signIn;
  if (site && isFile) {
    if (request.method === 'GET' || request.method === 'HEAD') return site.app(request);
    const refused = new ServiceError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
    return errorResponse(refused, request.requestId);
  }
  const message = `this path does not exist: paths begin with ${BASE_PATH}/`;
  return errorResponse(new ServiceError('not_found', { message }), request.requestId);
}
