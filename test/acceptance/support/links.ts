/** Links: makes them, and opens them as somebody without a key. */
import type { Call, HttpResponse } from './exchange';
import { callJson, send } from './http';
import { expectStatus, jsonOf } from './responses';
import { baseUrl } from './target';

export const LINKS = '/api/v2/storage/links';

export interface Link {
  readonly id: string;
  readonly url: string;
}

/** Makes a link, which must succeed. */
export async function makeLink(wish: object, how: Omit<Call, 'body'> = {}): Promise<Link> {
  const { id, url } = jsonOf(expectStatus(await callJson('POST', LINKS, wish, how), 201));
  if (typeof id !== 'string' || typeof url !== 'string') throw new Error('no link');
  // An imitation of AWS may name an address that only AWS resolves.
  return { id, url: baseUrl() + url.slice(url.indexOf('/s/')) };
}

/** Asks for the bytes behind the link, as a program does. */
export function download({ url }: Link): Promise<HttpResponse> {
  return send('GET', `${url}&download`);
}

/** The redirect of a link, which must lead to the bytes. */
export async function expectLinked(response: HttpResponse, bytes: string): Promise<void> {
  const { location } = expectStatus(response, 303, 307).headers;
  if (location === undefined) throw new Error('a redirect without Location');
  const followed = expectStatus(await send('GET', location), 200);
  expect(followed.body.toString()).toBe(bytes);
}
