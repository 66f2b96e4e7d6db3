/**
 * The service as its OpenAPI document has it: paths, parameters, bodies and answers are checked
 * when this is compiled.
 */
import createClient from 'openapi-fetch';
import { StowageError } from '../../../client/errors';
import { errorOf } from '../../../client/http';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

export type ServiceClient = ReturnType<typeof serviceClient>;

/** One page of a longer list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

export interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

const REQUEST_MS = 30_000;

/**
 * `root`: the folder that the service lies in. Unless told otherwise, a request is given up after
 * half a minute.
 */
export function serviceClient(root: string) {
  return createClient<paths>({ baseUrl: root, pathSerializer, fetch: fetchInTime });
}

/** For bytes, which take as long as they take. */
export const unlimited = { fetch: (request: Request) => fetch(request) };

export function bearer(credential: string): { readonly authorization: string } {
  return { authorization: `Bearer ${credential}` };
}

/** What was answered with 2xx. Throws StowageError, or the reason of an aborted signal. */
export async function dataOf<T>(call: Promise<Answer<T>>): Promise<NonNullable<T>> {
  const { data } = await done(call);
  return data ?? invalidAnswer();
}

/** For answers without a body; throws as dataOf does. */
export async function done<T>(call: Promise<Answer<T>>): Promise<Answer<T>> {
  const answer = await call.catch(unanswered);
  if (!answer.response.ok) throw errorOf(answer.response, answer.error);
  return answer;
}

export function invalidAnswer(cause?: unknown): never {
  throw new StowageError('invalid_answer', 'the answer is not what the service answers', { cause });
}

function unanswered(cause: unknown): never {
  if (cause instanceof SyntaxError) invalidAnswer(cause);
  if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
  throw new StowageError('network', 'no answer from the service', { cause });
}

function fetchInTime(request: Request): Promise<Response> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(REQUEST_MS)]);
  return fetch(request, { signal });
}

/**
 * Slashes of a key stay: not every gateway and proxy takes them for the same when they are encoded.
 */
function pathSerializer(path: string, parameters: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(parameters[name]).split('/').map(encodeURIComponent).join('/'),
  );
}
