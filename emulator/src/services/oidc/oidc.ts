/**
 * An OpenID Connect issuer on loopback, in place of a Cognito user pool.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { close, listen } from '../server';
import type { Listening } from '../service';
import { Accounts, DEVELOPER } from './accounts';
import { providerConfiguration, SIGN_IN } from './provider-configuration';
import { openSecrets, type Secrets } from './secrets';
import { pageHeaders, signInPage } from './sign-in-page';
import type { UserPool } from './user-pool';

export interface OidcOptions {
  /** Its URLs are those of this machine already. */
  readonly pool: UserPool;
  /** The service's own folder. Made if missing. */
  readonly dataDir: string;
  /** 0: any free port. */
  readonly port: number;
  /** Heading of the page. Default: `Sign in`. */
  readonly title?: string;
}

/** The response to a failure of the issuer does not contain its reason. */
function log(error: Error): void {
  process.stderr.write(`sign-in: ${error.stack}\n`);
}

export interface Oidc extends Listening {
  readonly user: string;
  readonly password: string;
}

/** Milliseconds that a request in progress has to finish when the service stops. */
const STOP_TIMEOUT = 1_000;

/** Throws UserError when the port is taken. `endpoint` is the issuer. */
export async function startOidc(options: OidcOptions): Promise<Oidc> {
  const { pool, dataDir, port, title = 'Sign in' } = options;
  const secrets = openSecrets(dataDir);
  const server = createServer();
  const endpoint = await listen(server, port, 'sign-in');
  let handle: Promise<Handle> | undefined;
  server.on('request', (request, response) => {
    // The provider takes longer to load than all else, and most runs have no sign-in.
    handle ??= createHandle({ endpoint, pool, accounts: new Accounts(secrets), title }, secrets);
    handle
      .then((ready) => ready(request, response))
      .catch((error: Error) => refuse(response, 400, error.message));
  });
  let stopping: Promise<void> | undefined;
  return {
    endpoint,
    user: DEVELOPER,
    password: secrets.password,
    stop: () => {
      stopping ??= close(server, STOP_TIMEOUT);
      return stopping;
    },
  };
}

interface Issuer {
  readonly endpoint: string;
  readonly pool: UserPool;
  readonly accounts: Accounts;
  readonly title: string;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function createHandle(issuer: Issuer, secrets: Secrets): Promise<Handle> {
  const { endpoint, pool, accounts } = issuer;
  // CommonJS can load this ESM package only by a dynamic import.
  const { Provider } = await importProvider();
  const provider: Provider = new Provider(
    endpoint,
    providerConfiguration({ pool, secrets, accounts }, () => provider),
  );
  provider.on('server_error', (_context, error) => log(error));
  const callback = provider.callback();
  const { host } = new URL(endpoint);
  return async (request, response) => {
    // Another host name that resolves to this machine, as after DNS rebinding, is refused.
    if (request.headers.host !== host) return refuse(response, 400, 'unknown host');
    const url = new URL(request.url ?? '/', endpoint);
    if (url.pathname.startsWith(SIGN_IN)) return signIn(provider, issuer, request, response);
    if (url.pathname === '/logout') return signOut({ provider, pool, url }, request, response);
    await callback(request, response);
  };
}

async function signIn(
  provider: Provider,
  { accounts, title }: Issuer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { uid, params } = await provider.interactionDetails(request, response);
  let hasFailed = false;
  if (request.method === 'POST') {
    const accountId = accounts.signIn(await formOf(request));
    if (accountId !== undefined) {
      return provider.interactionFinished(request, response, { login: { accountId } });
    }
    hasFailed = true;
  }
  const { redirect_uri: redirectUri } = params;
  response.writeHead(200, pageHeaders(typeof redirectUri === 'string' ? redirectUri : undefined));
  response.end(signInPage({ title, action: `${SIGN_IN}${uid}`, hasFailed }));
}

/** https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html */
async function signOut(
  { provider, pool, url }: { provider: Provider; pool: UserPool; url: URL },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const client = pool.clients.find(({ id }) => id === url.searchParams.get('client_id'));
  const back = url.searchParams.get('logout_uri');
  if (back === null || !client?.logoutUrls.includes(back)) {
    return refuse(response, 400, 'client_id and logout_uri must be those of a client');
  }
  const session = await provider.Session.get(provider.createContext(request, response));
  if (session.accountId !== undefined) await session.destroy();
  response.writeHead(302, { Location: back, 'Cache-Control': 'no-store' }).end();
}

const MAX_FORM_BYTES = 4096;

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_FORM_BYTES) throw new Error('the form is too large');
  }
  return new URLSearchParams(text);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) response.destroy();
  else
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${message}\n`);
}

/**
 * Imports the package without its warning that only LTS releases from 22 on are supported: the user
 * cannot act on it, and the tests run on the oldest release that package.json admits.
 */
async function importProvider(): Promise<typeof import('oidc-provider')> {
  const { warn } = console;
  console.warn = (...text: unknown[]) => {
    if (!String(text[0]).includes('Unsupported runtime')) warn(...text);
  };
  try {
    return await import('oidc-provider');
  } finally {
    console.warn = warn;
  }
}
