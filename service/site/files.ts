/** Reads the dashboard's files at cold start: no request path can reach any other file. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface SiteFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** The bytes compressed. Absent where that saves nothing. */
  readonly gzip?: Uint8Array;
  /** Weak, because it is the same for both encodings. */
  readonly etag: string;
  /** Its name contains a hash of its content. */
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

/** The files by request path. Throws when a file has an extension without a media type here. */
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
  if (type === undefined)
    throw new Error(`the dashboard has a file of unknown media type: ${name}`);
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
