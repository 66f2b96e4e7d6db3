/**
 * A client of the service's OpenAPI document: the compiler checks paths, parameters, bodies and
 * responses.
 */
import createClient from 'openapi-fetch';
import { StowageError } from '../../../client/errors';
import { errorOf } from '../../../client/http';
// `npm run types` writes this file, which is not in git.
import type { components, paths } from '../../../dist/openapi/schema';

export type Schemas = components['schemas'];

export type ServiceClient = ReturnType<typeof serviceClient>;

/** One page of a longer list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

export interface ApiResponse<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

const REQUEST_MS = 30_000;

/**
 * Returns a client for the service in the folder `root`. It aborts a request after half a minute.
 */
export function serviceClient(root: string) {
  return createClient<paths>({ baseUrl: root, pathSerializer, fetch: fetchInTime });
}

export function bearer(credential: string): { readonly authorization: string } {
  return { authorization: `Bearer ${credential}` };
}

/**
 * Returns the body of a successful response. Throws StowageError, or the reason of an aborted
 * signal.
 */
export async function dataOf<T>(call: Promise<ApiResponse<T>>): Promise<NonNullable<T>> {
  const { data } = await done(call);
  return data ?? invalidAnswer();
}

/** For responses without a body; throws as `dataOf` does. */
export async function done<T>(call: Promise<ApiResponse<T>>): Promise<ApiResponse<T>> {
  const outcome = await call.catch(throwNetworkError);
  if (!outcome.response.ok) throw errorOf(outcome.response, outcome.error);
  return outcome;
}

function invalidAnswer(cause?: unknown): never {
  throw new StowageError('invalid_answer', 'the response does not come from the service', {
    cause,
  });
}

function throwNetworkError(cause: unknown): never {
  if (cause instanceof SyntaxError) invalidAnswer(cause);
  if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
  throw new StowageError('network', 'no response from the service', { cause });
}

function fetchInTime(request: Request): Promise<Response> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(REQUEST_MS)]);
  return fetch(request, { signal });
}

/**
 * Keeps the slashes of a key: not every gateway and proxy treats encoded slashes the same.
 */
function pathSerializer(path: string, parameters: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(parameters[name]).split('/').map(encodeURIComponent).join('/'),
  );
}
