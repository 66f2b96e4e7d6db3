/** Runs the issuer in a child process and signs in as its client. */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser } from '../../src/services/oidc/cookie-browser';
import { PAGE } from './pool';

export interface Issuer {
  readonly endpoint: string;
  readonly user: string;
  readonly password: string;
  stop(): Promise<void>;
}

const children: ChildProcess[] = [];

/** Starts an issuer, which stops after the tests of this file. */
export async function startIssuer(dataDir: string): Promise<Issuer> {
  const child = fork(join(__dirname, 'service-process.ts'), [dataDir], {
    execArgv: ['--import', require.resolve('tsx')],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  children.push(child);
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`the issuer ended with ${code}`);
  });
  exited.catch(() => {});
  const [message] = await Promise.race([once(child, 'message'), exited]);
  return { ...message, stop: () => kill(child) };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

export const folder = mkdtempSync(join(tmpdir(), 'emulator-oidc-'));

/** The issuer that the tests of this file share. */
export let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer(folder);
});
afterAll(async () => {
  for (const child of children) await kill(child);
  rmSync(folder, { recursive: true, force: true });
});

const VERIFIER = randomBytes(32).toString('base64url');
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const AUTHORIZE = {
  client_id: 'dashboard',
  redirect_uri: PAGE,
  response_type: 'code',
  scope: 'openid email',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
  state: 'some-state',
  nonce: 'some-nonce',
};

export type Changes = Readonly<Record<string, string | undefined>>;

/** Returns the URL at which the client requests a code. */
export function authorizeUrl(changes: Changes = {}): string {
  const parameters = Object.entries({ ...AUTHORIZE, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return `${issuer.endpoint}/oauth2/authorize?${new URLSearchParams(parameters)}`;
}

export const credentials = () => ({ username: issuer.user, password: issuer.password });

/** Signs in, and returns the code. */
export async function codeOf(browser = new Browser(), form = credentials()): Promise<string> {
  const page = await browser.follow(authorizeUrl(), PAGE);
  const back = await browser.follow(page.href, PAGE, form);
  expect(back.searchParams.get('state')).toBe('some-state');
  return back.searchParams.get('code') ?? '';
}

/** Requests tokens; by default for the code in `changes`. */
export function exchange(
  changes: Readonly<Record<string, string>>,
  headers = {},
): Promise<Response> {
  return fetch(`${issuer.endpoint}/oauth2/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'dashboard',
      redirect_uri: PAGE,
      code_verifier: VERIFIER,
      ...changes,
    }),
  });
}

export interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token: string;
}

export async function tokensOf(changes: Readonly<Record<string, string>>): Promise<Tokens> {
  const response = await exchange(changes);
  expect(response.status).toBe(200);
  return (await response.json()) as Tokens;
}

export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}
