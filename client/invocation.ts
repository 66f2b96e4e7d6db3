/**
 * Reaches the service by invoking a Lambda function, for programs in its AWS account: these need no
 * API key. docs/client.md, "Without an API key".
 */
import { base64Of, bytesOf } from './base64';
import { type ErrorCode, StowageError } from './errors';
import type { Fetch } from './http';
import { isRecord } from './resources';

/**
 * Invokes the function with that JSON and returns the result of Lambda. With the AWS SDK:
 * `(Payload, options) => lambda.send(new InvokeCommand({ FunctionName, Payload }), options)`.
 */
export type Invoke = (
  payload: Uint8Array,
  options: { readonly abortSignal?: AbortSignal },
) => Promise<{
  /** The function's result as JSON. */
  readonly Payload?: Uint8Array;
  /** Set when the function failed. */
  readonly FunctionError?: string;
}>;

/** A placeholder origin: only path and query of the addresses below it reach the function. */
export const FUNCTION_ORIGIN = 'https://function.invalid';

/**
 * Returns a `fetch` whose requests are invocations. `download` fetches content that is too large
 * for an invocation, by its signed URL.
 */
export function invokingFetch(invoke: Invoke, download: Fetch): Fetch {
  return async (address, init) => {
    const signal = init.signal ?? undefined;
    const response = await invokeFunction(invoke, await payloadOf(new URL(address), init), signal);
    const headers = new Headers(response.headers);
    const location = headers.get('location');
    if (response.status === 307 && location !== null) {
      const range = new Headers(init.headers).get('range');
      return download(location, { headers: range === null ? {} : { range }, signal });
    }
    const { body, isBase64, status } = response;
    if (body === undefined) return new Response(null, { status, headers });
    return new Response(isBase64 ? bytesOf(body) : body, { status, headers });
  };
}

async function payloadOf(url: URL, { method = 'GET', headers, body }: RequestInit) {
  const request = {
    method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(new Headers(headers)),
    ...(await bodyOf(body)),
  };
  return new TextEncoder().encode(JSON.stringify(request));
}

async function bodyOf(body: RequestInit['body']) {
  if (body === undefined || body === null) return {};
  if (typeof body === 'string') return { body };
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  return { body: base64Of(bytes), isBase64: true };
}

interface FunctionResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly isBase64: boolean;
}

/** Throws StowageError, or the reason of the signal. */
async function invokeFunction(
  invoke: Invoke,
  payload: Uint8Array,
  abortSignal: AbortSignal | undefined,
): Promise<FunctionResponse> {
  abortSignal?.throwIfAborted();
  const output = await invoke(payload, { abortSignal }).catch((cause: unknown) => {
    abortSignal?.throwIfAborted();
    throw errorOf(cause);
  });
  const text = new TextDecoder().decode(output.Payload);
  if (output.FunctionError !== undefined) {
    throw new StowageError('unavailable', `the function failed: ${text}`);
  }
  const response = parse(text);
  if (isFunctionResponse(response)) return response;
  throw new StowageError(
    'invalid_answer',
    'the result of the function is not a response of the service',
  );
}

/** The code for each error of Lambda, by its name. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  AccessDeniedException: 'forbidden',
  ResourceNotFoundException: 'not_found',
  RequestTooLargeException: 'payload_too_large',
  TooManyRequestsException: 'unavailable',
};

function errorOf(cause: unknown): StowageError {
  const name = isRecord(cause) && typeof cause.name === 'string' ? cause.name : '';
  const code = Object.hasOwn(CODES, name) ? CODES[name] : undefined;
  if (code === undefined) {
    return new StowageError('network', 'the function could not be invoked', { cause });
  }
  const message = isRecord(cause) ? cause.message : undefined;
  return new StowageError(code, `Lambda refused the invocation: ${message ?? name}`, { cause });
}

function isFunctionResponse(value: unknown): value is FunctionResponse {
  if (!isRecord(value)) return false;
  const { status, headers, body } = value;
  const isText = body === undefined || typeof body === 'string';
  return typeof status === 'number' && isRecord(headers) && isText;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
