/** The files of the dashboard, read once: nothing else can be asked for, whatever a path says. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface SiteFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** The same, compressed; absent where that saves nothing. */
  readonly gzip?: Uint8Array;
  /** Weak: the same for both. */
  readonly etag: string;
  /** Its name says what is in it, so that it never changes. */
  readonly isImmutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/** By request path. Throws when a file is of a kind that nobody has thought of. */
export function readSite(folder: string): ReadonlyMap<string, SiteFile> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => path.extname(name) !== '' && !name.endsWith('.gz'));
  return new Map(
    files.map((name) => {
      const urlPath = name === 'index.html' ? '/' : `/${name.replaceAll(path.sep, '/')}`;
      return [urlPath, readSiteFile(folder, name, names)];
    }),
  );
}

function readSiteFile(folder: string, name: string, all: readonly string[]): SiteFile {
  const type = TYPES[path.extname(name)];
  if (type === undefined) throw new Error(`the dashboard has a file of unknown kind: ${name}`);
  const bytes = readFileSync(path.join(folder, name));
  const compressed = `${name}.gz`;
  return {
    type,
    bytes,
    ...(all.includes(compressed) && { gzip: readFileSync(path.join(folder, compressed)) }),
    etag: `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    isImmutable: name.startsWith(`assets${path.sep}`),
  };
}
