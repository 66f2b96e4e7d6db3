/** An issuer that serves its keys on loopback, and functions that sign valid and invalid tokens. */
import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IssuerSettings } from '../../../adapters/oidc/access-token';

export const CLIENT = 'client-1';
export const GROUP = 'stowage-admins';

const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export interface KeyPair {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export function newKeyPair(kid: string): KeyPair {
  return { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

type Fields = Readonly<Record<string, unknown>>;

/** A token signed with RS256 and the pair. Fields that are `undefined` are left out. */
export function signed(pair: KeyPair, payload: Fields, header: Fields = {}): string {
  const head = { alg: 'RS256', typ: 'at+jwt', kid: pair.kid, ...header };
  const input = `${base64(head)}.${base64(payload)}`;
  return `${input}.${createSign('RSA-SHA256').update(input).sign(pair.privateKey, 'base64url')}`;
}

/** A token signed with HS256 and any text as the secret. */
export function hmacSigned(secret: string, payload: Fields, header: Fields): string {
  const input = `${base64({ alg: 'HS256', ...header })}.${base64(payload)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

export function unsigned(payload: Fields, header: Fields): string {
  return `${base64({ alg: 'none', ...header })}.${base64(payload)}.`;
}

export interface TestIssuer {
  readonly url: string;
  readonly settings: IssuerSettings;
  readonly pair: KeyPair;
  /** The response with the keys. Tests replace it to break the issuer. */
  keySet: () => { readonly status: number; readonly body: string };
  readonly fetches: string[];
  /** The claims of an access token of Cognito. */
  claims(overrides?: Fields): Fields;
  stop(): Promise<void>;
}

export function jwk({ kid, publicKey }: KeyPair): Fields {
  return { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
}

export async function startIssuer(): Promise<TestIssuer> {
  const pair = newKeyPair('key-1');
  const fetches: string[] = [];
  const server = createServer((request, response) => {
    fetches.push(request.url ?? '');
    const { status, body } = issuer.keySet();
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}/pool`;
  const issuer: TestIssuer = {
    url,
    pair,
    fetches,
    settings: { issuer: url, clientId: CLIENT, claim: 'cognito:groups', value: GROUP },
    keySet: () => ({ status: 200, body: JSON.stringify({ keys: [jwk(pair)] }) }),
    claims: (overrides = {}) => {
      const now = Math.floor(Date.now() / 1000);
      return {
        iss: url,
        sub: 'sub-alice',
        username: 'alice',
        client_id: CLIENT,
        token_use: 'access',
        'cognito:groups': [GROUP, 'others'],
        iat: now - 1,
        exp: now + 600,
        ...overrides,
      };
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return issuer;
}
