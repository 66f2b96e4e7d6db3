/** `stowage serve`: runs the service until a signal ends it. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createFirstKey } from '../../server/first-key';
import { jsonLog } from '../../server/log';
import { type OtherIssuer, type RunningServer, startServer, UNLIMITED } from '../../server/server';
import { UsageError, UserError } from '../shared/errors';
import { LOCAL_DATA } from '../shared/service';
import type { Session } from '../shared/session';
import type { ServeOptions } from './options';
import { firstKeyOf, openFolder, publishAddress, signInSecret } from './published-files';

const DAY_SECONDS = 86_400;

/** Ctrl-C reaches this process from the terminal and from npm: later ones end it at once. */
const SAME_SIGNAL_MS = 1_000;

/** Throws UserError. Returns when the service has stopped. */
export async function serveCommand(session: Session, options: ServeOptions): Promise<void> {
  const folder = options.memory ? undefined : (session.options.data ?? LOCAL_DATA);
  // Other users of the machine cannot read what the service writes.
  process.umask(0o077);
  if (folder !== undefined) openFolder(folder);
  const server = await start(session, options, folder);
  const withdraw = folder === undefined ? () => {} : await publishAddress(folder, server.url);
  try {
    await announce(server, folder, session, options);
    await interrupted(session.signal);
  } finally {
    withdraw();
    await server.stop();
  }
  session.output.note(folder === undefined ? 'stopped' : `stopped; the data stays in ${folder}`);
}

/** An origin: clients send paths of the service below it. */
function originOf(option: string, text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).pathname === '/') {
    return new URL(text).origin;
  }
  throw new UsageError(
    `${option} must be an origin such as https://files.example.com, got ${text}`,
  );
}

async function start(
  session: Session,
  options: ServeOptions,
  folder: string | undefined,
): Promise<RunningServer> {
  const { host, port, origin, maxConnections, metricsPort, logRequests, retention } = options;
  const { url } = session.options;
  try {
    return await startServer({
      ...{ folder, host, port, maxConnections, metricsPort, logRequests, log: jsonLog },
      allowedOrigins: origin?.map((each) => (each === '*' ? each : originOf('--origin', each))),
      ...(!options.rateLimits && { rateTiers: { default: UNLIMITED } }),
      retentionSeconds: retention * DAY_SECONDS,
      url: url === undefined ? undefined : originOf('--url', url),
      tls: tlsOf(options),
      issuer: issuerOf(options),
      dashboard: dashboardFolder(),
      signInSecret: folder === undefined ? undefined : await signInSecret(folder),
    });
  } catch (error) {
    const { code, port: taken = port } = error as { code?: string; port?: number };
    if (code === 'EADDRINUSE') {
      throw new UserError(`port ${taken} of ${host} is in use: choose another one with --port`);
    }
    throw error;
  }
}

function tlsOf({ tlsCert: cert, tlsKey: key }: ServeOptions) {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw new UsageError('--tls-cert and --tls-key belong together');
}

function issuerOf(options: ServeOptions): OtherIssuer | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, adminClaim = '' } = options;
  const [, claim, value] = /^([^=]+)=(.+)$/.exec(adminClaim) ?? [];
  if (issuer === undefined) {
    if (clientId === undefined && adminClaim === '') return undefined;
    throw new UsageError('--oidc-client-id and --admin-claim need --oidc-issuer');
  }
  if (!clientId || !claim || !value) {
    throw new UsageError('--oidc-issuer needs --oidc-client-id and --admin-claim NAME=VALUE');
  }
  const { oidcAudience: audience, oidcScopes: scopes } = options;
  return { ...{ issuer, clientId, claim, value, scopes }, ...(audience && { audience }) };
}

/** The dashboard of the repository's build, or of the package. */
function dashboardFolder(): string | undefined {
  const places = ['../lambdas/site/public', '../dist/lambdas/site/public'];
  return places.map((place) => path.join(__dirname, place)).find((place) => existsSync(place));
}

async function announce(
  server: RunningServer,
  folder: string | undefined,
  { output }: Session,
  { quiet, oidcIssuer }: ServeOptions,
): Promise<void> {
  const { url, metricsUrl } = server;
  const create = () => createFirstKey(server.stores, 'stowage serve');
  const key = await (folder === undefined ? create() : firstKeyOf(folder, create));
  const data = folder ?? 'in memory';
  if (quiet) return output.print({ base_url: url, data }, `stowage serves ${data} at ${url}`);
  const dashboard = oidcIssuer === undefined ? server.signInLink() : `${url}/`;
  const value = { base_url: url, api_key: key, dashboard, metrics_url: metricsUrl, data };
  await output.print(
    value,
    `
stowage runs on this machine.

  dashboard  ${dashboard}
             (the link signs one browser in, within ten minutes)
  base URL   ${url}
  API key    ${key}
${metricsUrl === undefined ? '' : `  metrics    ${metricsUrl}\n`}  data       ${data}

Try it in another terminal:

  export STOWAGE_URL=${url} STOWAGE_KEY=${key}
  curl -X POST $STOWAGE_URL/api/v2/storage/buckets \\
    -H "Authorization: Bearer $STOWAGE_KEY" -d '{"name":"photos"}'

Ctrl-C stops it.
`,
  );
}

/** Returns when a signal asks the service to stop. */
async function interrupted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
  const since = performance.now();
  const again = () => {
    if (performance.now() - since > SAME_SIGNAL_MS) process.exit(1);
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, again);
}
