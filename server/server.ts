/** The whole service in one process: the interface, the channel, signed URLs and the janitor. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jitteredBackoff, systemClock, systemIds } from '../adapters/system';
import { RateLimiter } from '../core/access/rate-limiter';
import { TemporaryKeySecret } from '../core/access/temporary-keys';
import { BucketIds } from '../core/buckets/bucket-ids';
import { reviewChannels } from '../core/channel/revocation';
import { ServiceError } from '../core/errors';
import { UNTRUSTED_CONTENT_HEADERS } from '../core/http/inert';
import { DEFAULT_RATES, LIMITS, type RateTiers } from '../core/limits';
import { MAINTENANCE, type MaintenanceTask } from '../core/maintenance/tasks';
import { NEVER_STOP } from '../core/stop-signal';
import type { Log, Meter } from '../core/system';
import { type IngestDeps, ingestBlob } from '../core/uploads/uploads';
import { KnownClaims } from '../service/authentication';
import { createChanges } from '../service/changes-api';
import { createChannelApp } from '../service/channel/channel-app';
import { createDownload } from '../service/download-api';
import { type App, withErrorBoundary } from '../service/http/app';
import type { IncomingRequest } from '../service/http/request';
import { errorResponse, type HttpResponse } from '../service/http/response';
import { createLinks, isLink, type LinksDeps } from '../service/links/links';
import type { ApiDeps, ChangesDeps } from '../service/operations/deps';
import { BASE_PATH, NO_VALID_KEY } from '../service/routes/routes';
import { createApi } from '../service/storage-api';
import { type Cors, corsOf } from './cors';
import { requestOf, send } from './incoming';
import { LivePublisher, TimedTasks } from './publishing';
import { type LocalStores, openStores } from './stores';
import { CHANNEL_PATH, WebSocketChannels } from './web-sockets';

export interface ServerOptions {
  /** The data folder. Absent: everything is in memory, and ends with the server. */
  readonly folder?: string;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** 0: any that is free. @default 8500 */
  readonly port?: number;
  /** Where clients reach the server, such as behind a proxy. @default `http://{host}:{port}` */
  readonly baseUrl?: string;
  /** Web pages that may use it, beside those of this machine; `*` = any. */
  readonly allowedOrigins?: readonly string[];
  /** How long earlier states are readable, seconds. @default 30 days */
  readonly retentionSeconds?: number;
  readonly rateTiers?: RateTiers;
  readonly durability?: 'full' | 'relaxed';
  readonly log?: Log;
}

export interface RunningServer {
  /** `http://127.0.0.1:8500`. */
  readonly url: string;
  readonly stores: LocalStores;
  /** Ends connections and requests, and closes the data folder. */
  stop(): Promise<void>;
}

const DAY = 86_400;
const MINUTE_MS = 60_000;

/** How often each task runs, milliseconds. */
const EVERY: Readonly<Record<MaintenanceTask, number>> = {
  logs: MINUTE_MS,
  copies: MINUTE_MS,
  uploads: 60 * MINUTE_MS,
  expiry: 15 * MINUTE_MS,
  reconcile: 60 * MINUTE_MS,
};

/** Time for a client to send a request, milliseconds: signed URLs end by then. */
const UPLOAD_MS = DAY * 1000;

/** Requests that may wait for a change at once. */
const MAX_WAITING = 1000;

/** Time for requests to end when the server stops, milliseconds. */
const STOP_MS = 5_000;

const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
};

const SILENT: Log = { info: () => {}, error: () => {} };
const NO_METER: Meter = { add: () => {} };

/** Starts the server. Throws when the port is taken or the folder cannot be opened. */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { host = '127.0.0.1', port = 8500, log = SILENT } = options;
  const http = createServer({ maxHeaderSize: 64 * 1024, requestTimeout: UPLOAD_MS });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, () => resolve());
  });
  try {
    return await open(http, { ...options, host, log });
  } catch (error) {
    http.close();
    throw error;
  }
}

async function open(
  http: Server,
  options: ServerOptions & { readonly host: string; readonly log: Log },
): Promise<RunningServer> {
  const { host, log, folder, durability } = options;
  const { port } = http.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  const url = options.baseUrl ?? `http://${name}:${port}`;
  const changedKeys = new Set<(keyId: string) => void>();
  const stores = await openStores({
    ...{ folder, origin: url, clock: systemClock, ids: systemIds, durability },
    keyChanged: (keyId) => {
      for (const listener of changedKeys) listener(keyId);
    },
  });
  const channels = new WebSocketChannels();
  const tasks = new TimedTasks();
  const rateTiers = options.rateTiers ?? { default: DEFAULT_RATES };
  const base = {
    ...stores,
    ...{ channels, deferredTasks: tasks, rateTiers, log, meter: NO_METER },
    ...{ clock: systemClock, ids: systemIds, backoff: jitteredBackoff },
    ...{ allowedOrigins: ['*'], retentionSeconds: options.retentionSeconds ?? 30 * DAY },
    ...{ bucketIds: new BucketIds(stores.buckets), responseMode: 'stream' as const },
  };
  const publisher = new LivePublisher({ ...base, limiter: new RateLimiter(base) }, tasks);
  const deps = { ...base, commits: publisher.watching(stores.commits) };
  const secret = new TemporaryKeySecret(stores.serviceState, systemClock);
  const claims = new KnownClaims({ apiKeys: stores.apiKeys, secret, clock: systemClock, log });
  changedKeys.add((keyId) => {
    claims.forget(keyId);
    const at = systemClock.now();
    Promise.all([stores.rates.markChanged(keyId, at), reviewChannels(deps, [keyId])]).catch(
      (error: unknown) => log.error('revocation_failed', { keyId, error }),
    );
  });
  const cors = corsOf(options.allowedOrigins ?? []);
  const apps = createApps(deps, stores, { url, claims });
  http.on('request', (message, response) => void answer(apps, { cors, log }, message, response));
  channels.attach(http, createChannelApp(deps), { log, mayOpen: cors.allows });
  const janitor = startJanitor(deps, stores, log);
  for (const { record } of (await stores.buckets.list({ from: '' }, 1000)).items) {
    publisher.changed(record.name);
  }
  return {
    url,
    stores,
    stop: async () => {
      for (const timer of janitor) clearInterval(timer);
      tasks.stop();
      channels.close();
      const closed = new Promise((resolve) => http.close(resolve));
      http.closeIdleConnections();
      const cut = setTimeout(() => http.closeAllConnections(), STOP_MS);
      await closed;
      clearTimeout(cut);
      stores.close();
    },
  };
}

type AppDeps = ApiDeps &
  Omit<ChangesDeps, 'maxWaiting'> &
  IngestDeps &
  Omit<LinksDeps, 'contentOrigin'>;

/** The apps over one set of stores. `url`: where clients reach the server. */
function createApps(
  deps: AppDeps,
  stores: LocalStores,
  { url, claims }: { readonly url: string; readonly claims: KnownClaims },
): Apps {
  return {
    storage: createApi({
      ...deps,
      tickets: {
        subscriptions: stores.subscriptions,
        syncUrl: `${channelOrigin(url)}${CHANNEL_PATH}`,
      },
      linksAndKeys: { links: stores.links, apiKeys: stores.apiKeys, baseUrl: `${url}/` },
    }),
    download: createDownload(deps),
    changes: createChanges({ ...deps, maxWaiting: MAX_WAITING }),
    links: createLinks({ ...deps, contentOrigin: url }),
    content: async (message, signed) => {
      const headers = message.headers as Readonly<Record<string, string | undefined>>;
      const request = { method: message.method ?? 'GET', signed, headers, body: message };
      const response = await stores.answerContent(request);
      if (response.stored !== undefined) await ingestBlob(deps, response.stored);
      // Content is anybody's, and has the origin of the service here.
      return { ...response, headers: { ...response.headers, ...UNTRUSTED_CONTENT_HEADERS } };
    },
    claims,
  };
}

interface Apps {
  readonly storage: App;
  readonly download: App;
  readonly changes: App;
  readonly links: App;
  readonly content: (message: IncomingMessage, signed: string) => Promise<HttpResponse>;
  readonly claims: KnownClaims;
}

async function answer(
  apps: Apps,
  { cors, log }: { readonly cors: Cors; readonly log: Log },
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin } = message.headers;
  const requestId = randomUUID();
  const more = { ...SECURITY_HEADERS, ...cors.headersFor(origin) };
  try {
    const found = await respond(apps, cors, message, requestId);
    await send(found, response, more);
  } catch (error) {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const about = { method: message.method ?? 'GET', requestId };
    const known = await withErrorBoundary({ log }, about, () => Promise.reject(error));
    await send(known, response, { ...more, Connection: 'close' }).catch(() => response.destroy());
  }
}

async function respond(
  apps: Apps,
  cors: Cors,
  message: IncomingMessage,
  requestId: string,
): Promise<HttpResponse> {
  const target = message.url ?? '/';
  if (!URL.canParse(target, 'http://service')) {
    throw new ServiceError('invalid_request', { message: 'the target of the request is no path' });
  }
  const url = new URL(target, 'http://service');
  const { origin, 'access-control-request-method': asked } = message.headers;
  if (message.method === 'OPTIONS' && asked !== undefined) {
    if (cors.allows(origin)) return { status: 204, headers: cors.preflightFor(origin) };
    throw new ServiceError('forbidden', {
      message: 'pages of this origin may not use the service: allow it by --origin',
    });
  }
  const signed = url.searchParams.get('signed');
  if (url.pathname === '/content' && signed !== null) return apps.content(message, signed);
  if (url.pathname === '/healthz') return { status: 200, headers: {}, body: 'ok\n' };
  const request = await requestOf(message, { url, requestId, mostBytes: LIMITS.inlineUploadBytes });
  if (isLink(request)) return apps.links(request);
  if (!request.path.startsWith(`${BASE_PATH}/`)) {
    return errorResponse(
      new ServiceError('not_found', {
        message: `this path does not exist: paths begin with ${BASE_PATH}/`,
      }),
      requestId,
    );
  }
  const claim = await apps.claims.of(message.headers.authorization ?? '');
  if (claim === undefined) {
    const headers = { 'WWW-Authenticate': 'Bearer' };
    const refused = new ServiceError('unauthorized', { message: NO_VALID_KEY, headers });
    return errorResponse(refused, requestId);
  }
  return appOf(apps, request)({ ...request, claim });
}

/** The app whose operation may wait, read or write. */
function appOf(apps: Apps, { method, path }: IncomingRequest): App {
  const isRead = method === 'GET' || method === 'HEAD';
  if (path === CHANNEL_PATH) return apps.changes;
  return isRead && /^[^?]*\/objects\/[^/]+\/./.test(path) ? apps.download : apps.storage;
}

function channelOrigin(url: string): string {
  return url.replace(/^http/, 'ws');
}

function startJanitor(
  deps: Parameters<(typeof MAINTENANCE)[MaintenanceTask]>[0],
  stores: Pick<LocalStores, 'removeExpired'>,
  log: Log,
): readonly NodeJS.Timeout[] {
  const every = (milliseconds: number, task: string, run: () => Promise<unknown>) => {
    let isRunning = false;
    return setInterval(async () => {
      if (isRunning) return;
      isRunning = true;
      await run().catch((error: unknown) => log.error('task_failed', { task, error }));
      isRunning = false;
    }, milliseconds).unref();
  };
  const named = Object.entries(MAINTENANCE).map(([task, run]) =>
    every(EVERY[task as MaintenanceTask], task, () => run(deps, NEVER_STOP)),
  );
  return [...named, every(60 * MINUTE_MS, 'removeExpired', () => stores.removeExpired())];
}
