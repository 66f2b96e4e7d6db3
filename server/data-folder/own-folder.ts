/** Which folders a service may use: what it cleans up must be its own. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DATABASE_FILE } from './backup';

/** The files by which other commands of the user find the service. */
export const PUBLISHED = {
  firstKey: 'first-api-key',
  address: 'endpoints.json',
  secret: 'sign-in-secret',
} as const;

/** What a start writes before the database. */
const BEFORE = new Set([
  ...['lock', 'lock-journal'],
  ...Object.values(PUBLISHED).flatMap((name) => [name, `${name}.new`]),
]);

/** Throws when the folder has files and is no data folder. */
export function requireOwn(folder: string): void {
  if (!existsSync(folder) || existsSync(path.join(folder, DATABASE_FILE))) return;
  const other = readdirSync(folder).find((name) => !BEFORE.has(name));
  if (other === undefined) return;
  throw new Error(
    `${folder} has other files, such as ${other}: name an empty or new folder for the data`,
  );
}
