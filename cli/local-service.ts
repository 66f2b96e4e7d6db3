/** The local service of a data folder, for commands that are not told another. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '../client/resources';

/** An error that is reported to the user in one line. */
export class UserError extends Error {}

/** The address of the running local service, from the file that it writes. Throws UserError. */
export function localBaseUrl(folder: string): string {
  const text = textOf(path.join(folder, 'endpoints.json'));
  const endpoints: unknown = text === undefined ? undefined : JSON.parse(text);
  if (isRecord(endpoints) && typeof endpoints.baseUrl === 'string') return endpoints.baseUrl;
  throw new UserError('no service runs here: start one in another terminal, or pass --base-url');
}

/** STOWAGE_API_KEY, or the first key of the local service. Throws UserError. */
export function localKey(folder: string): string {
  const key = process.env.STOWAGE_API_KEY ?? textOf(path.join(folder, 'first-api-key'))?.trim();
  if (key) return key;
  throw new UserError('no API key: pass --key, or set STOWAGE_API_KEY');
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
