/**
 * The addresses of the pages, after the `#`, so that pages can be linked to and the back button
 * works.
 */
import { useMemo, useSyncExternalStore } from 'react';

export type Page =
  | { readonly page: 'keys' }
  | { readonly page: 'audit' }
  | { readonly page: 'buckets' }
  | { readonly page: 'reference' }
  | { readonly page: 'usage'; readonly key?: string }
  | { readonly page: 'objects'; readonly bucket: string; readonly prefix: string }
  | { readonly page: 'object'; readonly bucket: string; readonly key: string }
  | { readonly page: 'changes' | 'links'; readonly bucket: string };

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
    case 'usage':
      return target.key === undefined ? '#/usage' : `#/usage?key=${encodeURIComponent(target.key)}`;
    case 'changes':
    case 'links':
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
    if (first === '' || first === 'keys') return { page: 'keys' };
    if (first === 'audit' || first === 'buckets' || first === 'reference') return { page: first };
    if (first === 'usage') return { page: 'usage', key: parameters.get('key') ?? undefined };
    return undefined;
  }
  if (first !== 'buckets' || second === '') return undefined;
  if (third === undefined) {
    return { page: 'objects', bucket: second, prefix: parameters.get('prefix') ?? '' };
  }
  if (third === 'changes' || third === 'links') return { page: third, bucket: second };
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
