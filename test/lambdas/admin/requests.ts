/** The administration on the fakes, with events as API Gateway sends them without an authorizer. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { unauthorized } from '../../../adapters/oidc/access-token';
import type { Administrator } from '../../../core/access/administrators';
import { authenticate } from '../../../core/access/authentication';
import { ServiceError } from '../../../core/errors';
import { DEFAULT_RATES } from '../../../core/limits';
import { requestOf } from '../../../lambdas/runtime/rest-event';
import { createAdmin } from '../../../service/administration/app';
import { adminConfig } from '../../../service/administration/config';
import { createFakes, type Fakes } from '../../support/fakes/fakes';

export interface AdminRequest {
  readonly method?: string;
  /** Below `/admin/v1`, percent-encoded. */
  readonly path: string;
  /** Default: `alice`. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | string[]>>;
  /** An object is sent as JSON, with its content type. */
  readonly body?: object | string;
}

export interface AdminResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Parsed; undefined without a body. */
  readonly json: ReturnType<typeof JSON.parse>;
}

const TIERS = {
  default: DEFAULT_RATES,
  small: { ...DEFAULT_RATES, write: { rate: 1, burst: 1 } },
};

export interface World {
  readonly fakes: Fakes;
  ask(request: AdminRequest): Promise<AdminResponse>;
}

/** Valid tokens: `alice`, and `visitor` of a person who is not an administrator. */
export function openWorld(): World {
  const fakes = createFakes();
  const verify = async (token: string | undefined): Promise<Administrator> => {
    if (token === 'visitor') throw new ServiceError('forbidden');
    if (token !== 'alice') throw unauthorized();
    return { id: 'sub-alice', name: 'alice', until: fakes.clock.now() + 600_000 };
  };
  const issuer = { issuer: 'https://issuer.example', clientId: 'c', claim: 'role', value: 'admin' };
  const app = createAdmin({
    ...fakes,
    verify,
    tiers: TIERS,
    config: adminConfig(issuer, {
      scopes: 'openid email',
      syncUrl: 'wss://sync.example',
      tiers: TIERS,
      version: '1.2.3',
    }),
  });
  const ask = async (request: AdminRequest): Promise<AdminResponse> => {
    const { status, headers, body = '' } = await app(requestOf(eventOf(request)));
    const text = String(body);
    return { status, headers, text, json: text === '' ? undefined : JSON.parse(text) };
  };
  return { fakes, ask };
}

function eventOf(request: AdminRequest): APIGatewayProxyEvent {
  const { method = 'GET', path, token = 'alice', body, query } = request;
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const headers = {
    ...(token !== null && { Authorization: `Bearer ${token}` }),
    ...(typeof body === 'object' && { 'content-type': 'application/json' }),
    ...request.headers,
  };
  const event: Partial<APIGatewayProxyEvent> = {
    httpMethod: method,
    path: `/admin/v1${path}`,
    headers,
    multiValueQueryStringParameters:
      (query && Object.fromEntries(Object.entries(query).map(([n, v]) => [n, [v].flat()]))) ?? null,
    body: text === undefined ? null : Buffer.from(text).toString('base64'),
    isBase64Encoded: text !== undefined,
    requestContext: { requestId: 'request-1' } as APIGatewayProxyEvent['requestContext'],
  };
  return event as APIGatewayProxyEvent;
}

export const TEAM = [{ buckets: ['team-*'], prefix: '2026/', actions: ['read', 'list'] }];
export const NEW_KEY = { name: 'team', permissions: TEAM };

/** Creates a key: the JSON of the response. */
export async function makeKey(
  world: World,
  body: object = NEW_KEY,
): Promise<AdminResponse['json']> {
  return (await world.ask({ method: 'POST', path: '/keys', body })).json;
}

/** Whether requests with that API key are accepted. */
export async function isUsableKey({ fakes }: World, text: string): Promise<boolean> {
  return (await authenticate(fakes.keys, text, fakes.clock.now())).key !== undefined;
}
