/** Listing through the interface, page by page, and the reference that it must equal. */

import { type Descriptor, readDescriptor } from './descriptor';
import type { Call } from './exchange';
import { call } from './http';
import { demand, expectStatus, jsonOf } from './responses';

export interface ListOptions {
  readonly prefix?: string;
  readonly delimiter?: string;
  readonly start_after?: string;
  readonly limit?: number | string;
  readonly page_token?: string;
  readonly as_of?: number | string;
}

export interface Page {
  readonly objects: readonly Descriptor[];
  readonly prefixes: readonly string[];
  readonly cursor: number;
  readonly next_page_token?: string;
}

export function listPath(bucket: string, options: ListOptions): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return `/api/v2/storage/objects/${bucket}?${query}`;
}

/** One page, checked for shape and size. */
export async function listPage(
  bucket: string,
  options: ListOptions,
  how: Call = {},
): Promise<Page> {
  const response = expectStatus(await call('GET', listPath(bucket, options), how), 200);
  const {
    objects,
    prefixes,
    cursor,
    bucket_id,
    next_page_token: token,
    ...extra
  } = jsonOf(response);
  demand(Object.keys(extra).length === 0, 'no other fields', response);
  demand(Array.isArray(objects) && Array.isArray(prefixes), 'objects and prefixes', response);
  demand(Number.isSafeInteger(cursor), 'a cursor', response);
  demand(typeof bucket_id === 'string', 'a bucket_id', response);
  demand(token === undefined || typeof token === 'string', 'a text token', response);
  const page = {
    objects: Array.isArray(objects) ? objects.map(readDescriptor) : [],
    prefixes: Array.isArray(prefixes) ? prefixes.map(String) : [],
    cursor: Number(cursor),
    ...(typeof token === 'string' && { next_page_token: token }),
  };
  const limit = Number(options.limit ?? 100);
  demand(page.objects.length + page.prefixes.length <= limit, `at most ${limit} entries`, response);
  return page;
}

/** Every page from the first to the last. */
export async function listPages(
  bucket: string,
  options: ListOptions,
  how: Call = {},
): Promise<readonly Page[]> {
  const pages = [await listPage(bucket, options, how)];
  for (let token = pages[0]?.next_page_token; token !== undefined; ) {
    const page = await listPage(bucket, { ...options, page_token: token }, how);
    pages.push(page);
    token = page.next_page_token;
    if (pages.length > 2_000) throw new Error(`the list of ${bucket} does not end`);
  }
  return pages;
}

export async function listAll(
  bucket: string,
  options: ListOptions,
  how: Call = {},
): Promise<{ readonly objects: readonly Descriptor[]; readonly prefixes: readonly string[] }> {
  const pages = await listPages(bucket, { limit: 1000, ...options }, how);
  return {
    objects: pages.flatMap((page) => page.objects),
    prefixes: pages.flatMap((page) => page.prefixes),
  };
}

export async function keysOf(
  bucket: string,
  options: ListOptions,
  how: Call = {},
): Promise<readonly string[]> {
  return (await listAll(bucket, options, how)).objects.map((object) => object.key);
}

/** UTF-8 byte order, which is not JavaScript's UTF-16 order. */
export function byUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Returns the full listing of these keys, by the definition in docs/api.md. */
export function expectedListing(
  keys: readonly string[],
  { prefix = '', delimiter, start_after: after }: ListOptions,
): { readonly keys: readonly string[]; readonly prefixes: readonly string[] } {
  const chosen = [...keys]
    .sort(byUtf8)
    .filter((key) => key.startsWith(prefix) && (after === undefined || byUtf8(key, after) > 0));
  const groupOf = (key: string) => {
    const at = delimiter === undefined ? -1 : key.indexOf(delimiter, prefix.length);
    return delimiter === undefined || at < 0 ? undefined : key.slice(0, at + delimiter.length);
  };
  return {
    keys: chosen.filter((key) => groupOf(key) === undefined),
    prefixes: [...new Set(chosen.flatMap((key) => groupOf(key) ?? []))],
  };
}
