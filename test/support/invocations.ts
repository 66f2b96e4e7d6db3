/**
 * Requests to the internal function without Lambda: payloads as principals send them, responses as
 * they read them.
 */
import type { createInternal } from '../../lambdas/internal/app';
import type { TestRequest, TestResponse } from './requests';

export type Internal = ReturnType<typeof createInternal>;

const FUNCTION = 'arn:aws:lambda:us-east-1:000000000000:function:internal';

/** The context of an invocation by that alias; '' is the function itself. */
export function invocationBy(alias: string) {
  const invokedFunctionArn = alias === '' ? FUNCTION : `${FUNCTION}:${alias}`;
  return { invokedFunctionArn, awsRequestId: 'request-1' };
}

/** The request as JSON, bytes as base64. */
export function payloadOf({ method = 'GET', path, query, headers, body }: TestRequest): object {
  return {
    method,
    path: `/api/v2/storage${path}`,
    ...(query && { query }),
    ...(headers && { headers }),
    ...(body !== undefined && { body: Buffer.from(body).toString('base64'), isBase64: true }),
  };
}

/** Invokes by the alias. The payload is any value that JSON can carry. */
export async function invokeWith(
  internal: Internal,
  alias: string,
  payload: unknown,
): Promise<TestResponse> {
  // Lambda sends both as JSON, which loses everything else.
  const result = await internal(JSON.parse(JSON.stringify(payload)), invocationBy(alias));
  const { status, headers, body = '', isBase64 } = JSON.parse(JSON.stringify(result));
  const bytes = Buffer.from(body, isBase64 ? 'base64' : 'utf8');
  return {
    status,
    headers: Object.fromEntries(
      Object.entries<string>(headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    body: bytes,
    json: () => JSON.parse(bytes.toString()),
  };
}

export function invoke(internal: Internal, alias: string, request: TestRequest) {
  return invokeWith(internal, alias, payloadOf(request));
}
