/** The local service of a data folder, for commands that are not told another. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
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
