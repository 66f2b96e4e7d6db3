// node server.mjs: the app's own server. It serves the page, and gives each signed-in user a
// temporary key for users/<id>/. Requires STOWAGE_URL, STOWAGE_KEY and CLIENT_ID in the
// environment.
import { createPublicKey, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { StowageClient, StowageError } from 'stowage/client';

const { STOWAGE_URL, STOWAGE_KEY, CLIENT_ID, PORT = '3000', BUCKET = 'folders' } = process.env;
if (!STOWAGE_URL || !STOWAGE_KEY || !CLIENT_ID) {
  console.error('usage: STOWAGE_URL=… STOWAGE_KEY=… CLIENT_ID=… node server.mjs');
  process.exit(2);
}
const storage = new StowageClient({ baseUrl: STOWAGE_URL, apiKey: STOWAGE_KEY });

/** The parsed JSON of a response of 2xx. */
async function json(url, options) {
  const response = await fetch(url, options);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** The issuer is that of the storage: its dashboard reads it from the same place. */
const { issuer } = await json(new URL('/admin/v1/config', STOWAGE_URL));
const discovered = await json(`${issuer}/.well-known/openid-configuration`);

/** Why a token is refused; any other error is the server's own. */
class NotSignedIn extends Error {}

let keys = [];
let keysReadAt = Number.NEGATIVE_INFINITY;

/** The issuer's key of that id. Read once a minute at most, however many tokens are made up. */
async function issuerKey(kid) {
  const find = () => keys.find((key) => key.kid === kid);
  if (!find() && Date.now() - keysReadAt > 60_000) {
    keysReadAt = Date.now();
    ({ keys } = await json(discovered.jwks_uri));
  }
  return find();
}

/** A part of a token. */
function decoded(part) {
  try {
    return JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
  } catch {
    throw new NotSignedIn('the token is malformed');
  }
}

/** The claims of an ID token for this app. Throws NotSignedIn when it is not valid now. */
async function claimsOf(token) {
  const [header, payload, signature] = token.split('.');
  const { alg, kid } = decoded(header);
  const jwk = await issuerKey(kid);
  if (alg !== 'RS256' || !jwk) throw new NotSignedIn('the token is not signed by the issuer');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${header}.${payload}`),
    key,
    Buffer.from(signature ?? '', 'base64url'),
  );
  const claims = decoded(payload);
  const isValid =
    claims.iss === discovered.issuer &&
    claims.aud === CLIENT_ID &&
    claims.token_use === 'id' &&
    claims.exp * 1000 > Date.now();
  if (!isSigned || !isValid) throw new NotSignedIn('the token is not an ID token for this app');
  return claims;
}

/** A key that ends within an hour, for the folder of the user and nothing else. */
async function keyFor(request) {
  const [, token = ''] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
  const claims = await claimsOf(token);
  const prefix = `users/${claims.sub}/`;
  // `sign` and `sync` let the page follow changes: a browser opens the channel with a ticket.
  const actions = ['read', 'write', 'delete', 'list', 'sync', 'sign'];
  const permissions = [{ buckets: [BUCKET], prefix, actions }];
  const { token: apiKey } = await storage.temporaryKey(permissions, { expiresIn: 3600 });
  const name = claims['cognito:username'];
  return { baseUrl: STOWAGE_URL, apiKey, bucket: BUCKET, prefix, name };
}

const CONFIG = {
  clientId: CLIENT_ID,
  authorize: discovered.authorization_endpoint,
  token: discovered.token_endpoint,
};

const file = (path, type) => async () => ({
  type,
  body: await readFile(new URL(path, import.meta.url)),
});
const CLIENT = import.meta.resolve('stowage/client');

const ROUTES = {
  'GET /': file('page/index.html', 'text/html; charset=utf-8'),
  'GET /page.mjs': file('page/page.mjs', 'text/javascript'),
  'GET /client.mjs': file(CLIENT, 'text/javascript'),
  'GET /config': async () => ({ type: 'application/json', body: JSON.stringify(CONFIG) }),
  'POST /key': async (request) => ({
    type: 'application/json',
    body: JSON.stringify(await keyFor(request)),
  }),
};

await storage.buckets.create(BUCKET).catch((error) => {
  if (!(error instanceof StowageError) || error.code !== 'conflict') throw error;
});

/** Shows the address at which S3 accepts uploads: the page may connect to it. */
const upload = await storage.signedUrl(BUCKET, 'users/', { method: 'PUT', commit: false });

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `connect-src 'self' ${originsOf(STOWAGE_URL, CONFIG.token, upload.url).join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
};

/** Returns the origins of the URLs, for HTTP and for WebSocket. */
function originsOf(...urls) {
  const origins = urls.map((url) => new URL(url).origin);
  return [...origins, ...origins.map((origin) => origin.replace('http', 'ws'))];
}

const server = createServer(async (request, response) => {
  try {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const answer = await ROUTES[`${request.method} ${pathname}`]?.(request);
    response.writeHead(answer ? 200 : 404, {
      ...HEADERS,
      'Content-Type': answer?.type ?? 'text/plain',
    });
    response.end(answer?.body ?? 'not found\n');
  } catch (error) {
    console.error(String(error));
    const [status, text] = error instanceof NotSignedIn ? [401, 'not signed in'] : [500, 'failed'];
    response.writeHead(status, { ...HEADERS, 'Content-Type': 'text/plain' }).end(`${text}\n`);
  }
});

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`open http://localhost:${server.address().port}/`);
});
