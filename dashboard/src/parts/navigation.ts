/**
 * The addresses of the pages, after the `#`, so that pages can be linked to and the back button
 * works.
 */
import { useMemo, useSyncExternalStore } from 'react';

export type Page =
  | { readonly page: TopPage }
  | { readonly page: 'key'; readonly id: string }
  | { readonly page: 'objects'; readonly bucket: string; readonly prefix: string }
  | { readonly page: 'object'; readonly bucket: string; readonly key: string }
  | { readonly page: BucketPage; readonly bucket: string };

const TOP_PAGES = ['overview', 'keys', 'audit', 'buckets', 'usage', 'reference'] as const;

type TopPage = (typeof TOP_PAGES)[number];

export const BUCKET_PAGES = ['changes', 'links', 'history', 'settings'] as const;

/** The pages of a bucket besides the list of its objects. */
export type BucketPage = (typeof BUCKET_PAGES)[number];

export function hrefOf(target: Page): string {
  switch (target.page) {
    case 'objects': {
      const query = target.prefix === '' ? '' : `?prefix=${encodeURIComponent(target.prefix)}`;
      return `#/buckets/${encodeURIComponent(target.bucket)}${query}`;
    }
    case 'object': {
      const object = `object?key=${encodeURIComponent(target.key)}`;
      return `#/buckets/${encodeURIComponent(target.bucket)}/${object}`;
    }
    case 'key':
      return `#/keys/${encodeURIComponent(target.id)}`;
    case 'changes':
    case 'links':
    case 'history':
    case 'settings':
      return `#/buckets/${encodeURIComponent(target.bucket)}/${target.page}`;
    default:
      return `#/${target.page}`;
  }
}

/** Returns undefined when there is no such page. */
export function pageOf(hash: string): Page | undefined {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B'));
  const [first = '', second, third] = path.split('/').map(decoded);
  if (second === undefined) {
    if (first === '') return { page: 'overview' };
    const page = TOP_PAGES.find((name) => name === first);
    return page && { page };
  }
  if (first === 'keys') {
    return second === '' || third !== undefined ? undefined : { page: 'key', id: second };
  }
  if (first !== 'buckets' || second === '') return undefined;
  if (third === undefined) {
    return { page: 'objects', bucket: second, prefix: parameters.get('prefix') ?? '' };
  }
  const page = BUCKET_PAGES.find((name) => name === third);
  if (page) return { page, bucket: second };
  const key = parameters.get('key');
  if (third !== 'object' || !key) return undefined;
  return { page: 'object', bucket: second, key };
}

export function goTo(target: Page): void {
  window.location.hash = hrefOf(target);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function onHashChange(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

export function usePage(): Page | undefined {
  const hash = useSyncExternalStore(onHashChange, () => window.location.hash);
  return useMemo(() => pageOf(hash), [hash]);
}
