/**
 * `stowage sign-in`: signs the development user in at the local service and prints an access token.
 * It follows the steps of a browser in the authorization code flow with PKCE.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Browser } from '../../emulator/src/services/oidc/cookie-browser';
import { UserError } from '../shared/errors';
import { LOCAL_DATA } from '../shared/service';
import type { Session } from '../shared/session';
import { ServedAdmin } from './served-admin';

interface Issuer {
  readonly issuer: string;
  readonly user: string;
  readonly password: string;
}

interface Service extends Issuer {
  readonly baseUrl: string;
}

/** The running local service, from the file that it writes. */
function localService(folder: string): Service {
  const file = path.join(folder, 'endpoints.json');
  try {
    const { baseUrl, signIn } = JSON.parse(readFileSync(file, 'utf8'));
    return { baseUrl, ...signIn };
  } catch {
    throw new UserError(`no local service in ${folder}: start it first`);
  }
}

async function json(response: Response): Promise<Record<string, string>> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url} returned status ${response.status}: ${text}`);
  return JSON.parse(text);
}

/**
 * Returns an access token for the local service of a data folder. Throws when no service runs there
 * or when the issuer refuses the sign-in.
 */
export async function signIn(folder: string): Promise<string> {
  const service = localService(folder);
  const config = await json(await fetch(`${service.baseUrl}/admin/v1/config`));
  const discovery = await json(await fetch(`${config.issuer}/.well-known/openid-configuration`));
  const redirectUri = `${service.baseUrl}/`;
  const verifier = randomBytes(32).toString('base64url');
  const authorize = new URL(discovery.authorization_endpoint ?? '');
  authorize.search = new URLSearchParams({
    client_id: config.client_id ?? '',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: randomBytes(16).toString('base64url'),
  }).toString();
  const browser = new Browser();
  const page = await browser.follow(authorize.href, redirectUri);
  const { user: username, password } = service;
  const back = await browser.follow(page.href, redirectUri, { username, password });
  const code = back.searchParams.get('code');
  if (code === null) throw new Error(`the issuer returned no code: ${back.href}`);
  const tokens = await fetch(discovery.token_endpoint ?? '', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: config.client_id ?? '',
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    }),
  });
  const { access_token: token } = await json(tokens);
  if (token === undefined) throw new Error('the issuer returned no access token');
  return token;
}

/** Throws UserError when no service runs in the data folder. */
export async function signInCommand(
  { options: { data = LOCAL_DATA }, output }: Session,
  { link }: { readonly link?: boolean },
): Promise<void> {
  const served = ServedAdmin.of(data);
  if (link) {
    if (!served) throw new UserError(`no service of 'stowage serve' in ${data}: start it first`);
    const url = await served.link();
    return output.print({ link: url }, url);
  }
  const token = served?.token() ?? (await signIn(data));
  await output.print({ access_token: token }, token);
}
