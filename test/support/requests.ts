/**
 * Requests to an app without a gateway: REST events as API Gateway sends them, responses as a
 * client reads them.
 */
import { Readable } from 'node:stream';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Permission } from '../../core/access/ports';
import { requestOf } from '../../lambdas/runtime/rest-event';
import type { App } from '../../service/http/app';
import type { IncomingRequest } from '../../service/http/request';

export const EVERYTHING: readonly Permission[] = [
  {
    buckets: ['*'],
    actions: ['read', 'write', 'delete', 'list', 'sync', 'sign', 'create_bucket', 'delete_bucket'],
  },
];

export interface TestRequest {
  readonly method?: string;
  /** Percent-encoded, behind `/api/v2/storage`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly permissions?: readonly Permission[];
  readonly keyId?: string;
  /** ISO 8601: of the API key. */
  readonly expiresAt?: string;
}

export interface TestResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  json<T = Record<string, unknown>>(): T;
}

export function restEvent(request: TestRequest): APIGatewayProxyEvent {
  const { method = 'GET', headers = {}, query, body, permissions = EVERYTHING } = request;
  const multi = query && Object.fromEntries(Object.entries(query).map(([n, v]) => [n, [v].flat()]));
  const event: Partial<APIGatewayProxyEvent> = {
    httpMethod: method,
    path: `/api/v2/storage${request.path}`,
    headers: { ...headers },
    multiValueQueryStringParameters: multi ?? null,
    body: body === undefined ? null : Buffer.from(body).toString('base64'),
    isBase64Encoded: body !== undefined,
    requestContext: {
      requestId: 'request-1',
      authorizer: {
        keyId: request.keyId ?? 'key-1',
        permissions: JSON.stringify(permissions),
        ...(request.expiresAt && { expiresAt: request.expiresAt }),
      },
    } as unknown as APIGatewayProxyEvent['requestContext'],
  };
  return event as APIGatewayProxyEvent;
}

/** Returns the request as the service receives it from API Gateway. */
export function incomingRequest(request: TestRequest): IncomingRequest {
  return requestOf(restEvent(request));
}

export async function send(app: App, request: TestRequest): Promise<TestResponse> {
  const response = await app(incomingRequest(request));
  const parts =
    response.body instanceof Readable
      ? await response.body.toArray()
      : [Buffer.from((response.body ?? '') as string)];
  const body = Buffer.concat(parts);
  return {
    status: response.status,
    headers: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    body,
    json: () => JSON.parse(body.toString()),
  };
}
