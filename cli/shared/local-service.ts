/** The local service of a data folder, for commands that are not told another. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { PRIVATE_URL } from '../../client/http';
import { isRecord } from '../../client/resources';
import { UserError } from './errors';

/** The address of the running local service, from the file that it writes. Throws UserError. */
export function localUrl(folder: string): string {
  const text = textOf(path.join(folder, 'endpoints.json'));
  const endpoints: unknown = text === undefined ? undefined : JSON.parse(text);
  if (isRecord(endpoints) && typeof endpoints.baseUrl === 'string') return endpoints.baseUrl;
  throw new UserError(
    "no service: set STOWAGE_URL and STOWAGE_KEY, run 'stowage login', or start one here",
  );
}

/**
 * Throws UserError unless the folder, which no option names, leads to this machine and belongs to
 * this user: a folder that somebody else has made may name any service.
 */
export function requireTrusted(folder: string, url: string): void {
  const uid = process.getuid?.();
  const isOwn = [folder, path.join(folder, 'endpoints.json')].every(
    (each) => uid === undefined || statSync(each).uid === uid,
  );
  if (isOwn && PRIVATE_URL.test(url.replace(/^https:/, 'http:'))) return;
  throw new UserError(
    `${folder} names ${url}, which ${isOwn ? 'is another machine' : 'another user wrote'}: ` +
      `pass --data ${folder} if it is yours, or --url`,
  );
}

/** The first key of the local service. */
export function firstKey(folder: string): string | undefined {
  return textOf(path.join(folder, 'first-api-key'))?.trim();
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
