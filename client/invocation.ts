/**
 * The service as a function that is invoked: for programs in its own AWS account, which need no API
 * key. docs/client.md, "Without an API key".
 */
import { type ErrorCode, StowageError } from './errors';
import type { Fetch } from './http';
import { isRecord } from './resources';

/**
 * Invokes the function with that JSON, and answers what Lambda does. With the AWS SDK:
 * `(Payload, options) => lambda.send(new InvokeCommand({ FunctionName, Payload }), options)`.
 */
export type Invoke = (
  payload: Uint8Array,
  options: { readonly abortSignal?: AbortSignal },
) => Promise<{
  /** JSON: what the function answered. */
  readonly Payload?: Uint8Array;
  /** Set when the function failed. */
  readonly FunctionError?: string;
}>;

/** Stands in addresses where nobody listens: only what is behind it goes to the function. */
export const FUNCTION_ORIGIN = 'https://function.invalid';

/**
 * A `fetch` whose requests are invocations. `download` fetches content that is too large for one,
 * by its signed URL.
 */
export function invokingFetch(invoke: Invoke, download: Fetch): Fetch {
  return async (address, init) => {
    const signal = init.signal ?? undefined;
    const answer = await invoked(invoke, await payloadOf(new URL(address), init), signal);
    const headers = new Headers(answer.headers);
    const location = headers.get('location');
    if (answer.status === 307 && location !== null) {
      const range = new Headers(init.headers).get('range');
      return download(location, { headers: range === null ? {} : { range }, signal });
    }
    const { body, isBase64, status } = answer;
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

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly isBase64: boolean;
}

/** Throws StowageError, or the reason of the signal. */
async function invoked(
  invoke: Invoke,
  payload: Uint8Array,
  abortSignal: AbortSignal | undefined,
): Promise<Answer> {
  abortSignal?.throwIfAborted();
  const output = await invoke(payload, { abortSignal }).catch((cause: unknown) => {
    abortSignal?.throwIfAborted();
    throw refusalOf(cause);
  });
  const text = new TextDecoder().decode(output.Payload);
  if (output.FunctionError !== undefined) {
    throw new StowageError('unavailable', `the function failed: ${text}`);
  }
  const answer = parse(text);
  if (isAnswer(answer)) return answer;
  throw new StowageError('invalid_answer', 'what was invoked did not answer as the service does');
}

/** Errors of Lambda by their names, and what they mean to the caller of this client. */
const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  AccessDeniedException: 'forbidden',
  ResourceNotFoundException: 'not_found',
  RequestTooLargeException: 'payload_too_large',
  TooManyRequestsException: 'unavailable',
};

function refusalOf(cause: unknown): StowageError {
  const name = isRecord(cause) && typeof cause.name === 'string' ? cause.name : '';
  const code = Object.hasOwn(REFUSALS, name) ? REFUSALS[name] : undefined;
  if (code === undefined) {
    return new StowageError('network', 'the function could not be invoked', { cause });
  }
  const message = isRecord(cause) ? cause.message : undefined;
  return new StowageError(code, `Lambda refused the invocation: ${message ?? name}`, { cause });
}

function isAnswer(value: unknown): value is Answer {
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

/** As many as a call takes arguments. */
const CHUNK = 0x8000;

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(from, from + CHUNK));
  }
  return btoa(text);
}

function bytesOf(base64: string) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
