/** Which folders a service may use: what it cleans up must be its own. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DATABASE_FILE } from './backup';

/** What a start writes before the database. */
const BEFORE = /^(lock|lock-journal|(sign-in-secret|first-api-key|endpoints\.json)(\.new)?)$/;

/** Throws when the folder has files and is no data folder. */
export function requireOwn(folder: string): void {
  if (!existsSync(folder) || existsSync(path.join(folder, DATABASE_FILE))) return;
  const other = readdirSync(folder).find((name) => !BEFORE.test(name));
  if (other === undefined) return;
  throw new Error(
    `${folder} has other files, such as ${other}: name an empty or new folder for the data`,
  );
}
