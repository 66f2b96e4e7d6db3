/** The whole service in one process: the interface, the channel, signed URLs and the janitor. */
import { randomBytes } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import { createVerify, type IssuerSettings } from '../adapters/oidc/access-token';
import { jitteredBackoff, systemClock, systemIds } from '../adapters/system';
import { RateLimiter } from '../core/access/rate-limiter';
import { TemporaryKeySecret } from '../core/access/temporary-keys';
import { BucketIds } from '../core/buckets/bucket-ids';
import { walkBuckets } from '../core/buckets/walk';
import { reviewChannels } from '../core/channel/revocation';
import { DEFAULT_RATES, type RateTiers, type TierRates } from '../core/limits';
import type { Log } from '../core/system';
import { version } from '../package.json';
import { adminConfig } from '../service/administration/config';
import { KnownClaims } from '../service/authentication';
import { createChannelApp } from '../service/channel/channel-app';
import { type AppSettings, channelUrl, createAnswer } from './apps';
import { corsOf } from './cors';
import { startJanitor } from './janitor';
import { addressOf, type ListenOptions, listen } from './listener';
import { Metrics } from './metrics';
import { LivePublisher, TimedTasks } from './publishing';
import { LocalIssuer } from './sign-in/local-issuer';
import { type LocalStores, openStores } from './stores';
import { WebSocketChannels } from './web-sockets';

export interface ServerOptions extends Partial<ListenOptions> {
  /** The data folder. Absent: everything is in memory, and ends with the server. */
  readonly folder?: string;
  /** Where clients reach the server, such as behind a proxy. @default its own address */
  readonly url?: string;
  /** Web pages that may use it, beside those of this machine; `*` = any. */
  readonly allowedOrigins?: readonly string[];
  /** How long earlier states are readable, seconds. @default 30 days */
  readonly retentionSeconds?: number;
  readonly rateTiers?: RateTiers;
  readonly durability?: 'full' | 'relaxed';
  /** The folder with the files of the dashboard. Absent: there is none. */
  readonly dashboard?: string;
  /** The secret of sign-in links and access tokens. @default one of this process */
  readonly signInSecret?: string;
  /** Another issuer that signs administrators in. Absent: links from the terminal do. */
  readonly issuer?: OtherIssuer;
  /** The port of `/metrics`, on the same host. Absent: there are no metrics. */
  readonly metricsPort?: number;
  /** Logs a line for each request. */
  readonly logRequests?: boolean;
  readonly log?: Log;
}

export interface OtherIssuer extends IssuerSettings {
  /** Scopes to request, separated by spaces. */
  readonly scopes: string;
}

export interface RunningServer {
  /** `http://127.0.0.1:7070`. */
  readonly url: string;
  /** Where it listens, which `url` need not be. */
  readonly listening: string;
  readonly stores: LocalStores;
  /** `http://127.0.0.1:9500/metrics`; undefined: there are no metrics. */
  readonly metricsUrl?: string;
  /** Returns a link that signs its first visitor in to the dashboard, within ten minutes. */
  signInLink(): string;
  /** Ends connections and requests, and closes the data folder. */
  stop(): Promise<void>;
}

const DAY = 86_400;

/** Time for requests to end when the server stops, milliseconds. */
const STOP_MS = 5_000;

const SILENT: Log = { info: () => {}, error: () => {} };

/** Rates that no client reaches. */
export const UNLIMITED = Object.fromEntries(
  Object.entries(DEFAULT_RATES).map(([name, limits]) => [
    name,
    {
      ...{ ...limits, rate: 1_000_000, burst: 1_000_000 },
      ...('concurrent' in limits && { concurrent: 1000 }),
    },
  ]),
) as unknown as TierRates;

/** Starts the server. Throws when a port is taken or the folder cannot be opened. */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { host = '127.0.0.1', port = 7070, log = SILENT } = options;
  const { rateTiers = { default: DEFAULT_RATES } } = options;
  const given = { ...options, host, port, log, rateTiers };
  const http = await listen(given);
  http.on('request', notReady);
  try {
    return await open(http, { ...given, url: options.url ?? addressOf(http, given) });
  } catch (error) {
    http.close();
    http.closeAllConnections();
    throw error;
  }
}

/** The options, with defaults in place of what was not given. */
type Opened = ServerOptions &
  Required<Pick<ServerOptions, 'host' | 'port' | 'url' | 'log' | 'rateTiers'>>;

async function open(http: Server, options: Opened): Promise<RunningServer> {
  const { url, log, folder, durability } = options;
  const secret = options.signInSecret ?? randomBytes(32).toString('base64url');
  const stores = await openStores({
    ...{ folder, origin: url, clock: systemClock, ids: systemIds, durability },
    keyChanged: (keyId) => forgetKey(keyId),
  });
  const channels = new WebSocketChannels();
  const metrics = new Metrics(() => channels.count);
  const tasks = new TimedTasks();
  const base = depsOf(options, stores, { channels, tasks, metrics });
  const publisher = new LivePublisher({ ...base, limiter: new RateLimiter(base) }, tasks);
  const deps = { ...base, commits: publisher.watching(stores.commits) };
  const temporaryKeys = new TemporaryKeySecret(stores.serviceState, systemClock);
  const { apiKeys } = stores;
  const claims = new KnownClaims({ apiKeys, secret: temporaryKeys, clock: systemClock, log });
  const forgetKey = (keyId: string) => {
    claims.forget(keyId);
    const at = systemClock.now();
    Promise.all([stores.rates.markChanged(keyId, at), reviewChannels(deps, [keyId])]).catch(
      (error: unknown) => log.error('revocation_failed', { keyId, error }),
    );
  };
  const cors = corsOf([new URL(url).origin, ...(options.allowedOrigins ?? [])]);
  const local = new LocalIssuer({ url, secret, clock: systemClock });
  const settings = { ...administration(options, local), url, claims, cors };
  const answered = reporter(options, metrics);
  const answer = createAnswer(deps, stores, { ...settings, answered });
  http
    .off('request', notReady)
    .on('request', (message, response) => void answer(message, response));
  channels.attach(http, createChannelApp(deps), { log, mayOpen: cors.allows });
  const endJanitor = startJanitor(deps, stores);
  // What was committed and not published when the last process ended.
  for await (const { record } of walkBuckets(stores.buckets)) publisher.changed(record.name);
  const { metricsPort, host } = options;
  const scraped = metricsPort === undefined ? undefined : await metrics.serve(host, metricsPort);
  return {
    url,
    listening: addressOf(http, options),
    stores,
    metricsUrl: scraped?.url,
    signInLink: () => local.link('operator'),
    stop: async () => {
      endJanitor();
      tasks.stop();
      channels.close();
      scraped?.end();
      await closed(http);
      stores.close();
    },
  };
}

/** What the apps, the janitor and the publisher work with. */
function depsOf(
  { rateTiers, retentionSeconds = 30 * DAY, log }: Opened,
  stores: LocalStores,
  { channels, tasks, metrics }: Parts,
) {
  return {
    ...stores,
    ...{ channels, deferredTasks: tasks, rateTiers, retentionSeconds, log, meter: metrics },
    ...{ clock: systemClock, ids: systemIds, backoff: jitteredBackoff },
    ...{ allowedOrigins: ['*'], responseMode: 'stream' as const },
    bucketIds: new BucketIds(stores.buckets),
  };
}

interface Parts {
  readonly channels: WebSocketChannels;
  readonly tasks: TimedTasks;
  readonly metrics: Metrics;
}

/** The administration, for people whom another issuer or a link of this server has signed in. */
function administration(options: Opened, local: LocalIssuer) {
  const { url, issuer, log, dashboard, rateTiers: tiers } = options;
  const page = issuer ? { signIn: issuer, scopes: issuer.scopes } : local.page;
  const verify = issuer ? createVerify(issuer, { clock: systemClock, log }) : local.verify;
  const syncUrl = channelUrl(url);
  const config = adminConfig(page.signIn, { ...page, syncUrl, tiers, version });
  return {
    admin: { verify, tiers, config },
    dashboard,
    issuer: issuer ? undefined : local,
    connectTo: issuer ? [new URL(issuer.issuer).origin] : [],
  };
}

function reporter({ logRequests, log }: Opened, metrics: Metrics): AppSettings['answered'] {
  return (request) => {
    const { route, status, milliseconds } = request;
    metrics.request(route, status, milliseconds);
    if (!logRequests) return;
    log.info('request', { ...request, milliseconds: Math.round(milliseconds * 100) / 100 });
  };
}

function notReady(_request: unknown, response: ServerResponse): void {
  const error = { code: 'unavailable', message: 'the service is starting: try again in a second' };
  response.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '1' });
  response.end(`${JSON.stringify({ error })}\n`);
}

async function closed(http: Server): Promise<void> {
  const done = new Promise((resolve) => http.close(resolve));
  http.closeIdleConnections();
  const cut = setTimeout(() => http.closeAllConnections(), STOP_MS);
  await done;
  clearTimeout(cut);
}
