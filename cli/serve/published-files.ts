/**
 * The files by which `stowage serve` lets other commands of this user find it: its address, its
 * first API key, and the secret of its sign-in links.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { PUBLISHED, requireOwn } from '../../server/data-folder/own-folder';
import { UserError } from '../shared/errors';
import { replaceOwn } from '../shared/own-file';

/** A file that only a data folder of the emulator has. */
const OF_EMULATOR = 'key-tables.json';

/**
 * Creates the folder, which only its user may read. Throws UserError when it holds data of the
 * emulator, or anything else that is not of a service.
 */
export function openFolder(folder: string): void {
  if (existsSync(path.join(folder, OF_EMULATOR))) {
    throw new UserError(
      `${folder} has data of the emulated AWS: serve another folder with --data, or delete it; ` +
        `'npm run emulate -- --data ${folder}' serves what it has`,
    );
  }
  requireOwn(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/** Returns the secret of the folder, which the first call makes. */
export function signInSecret(folder: string): Promise<string> {
  return kept(folder, PUBLISHED.secret, async () => randomBytes(32).toString('base64url'));
}

/** Returns the secret of a service, or undefined when `stowage serve` does not serve the folder. */
export function secretOf(folder: string): string | undefined {
  return textOf(path.join(folder, PUBLISHED.secret));
}

/** Returns the first API key, which `create` makes at the first start. */
export function firstKeyOf(folder: string, create: () => Promise<string>): Promise<string> {
  return kept(folder, PUBLISHED.firstKey, create);
}

/** Publishes the address of the service. Returns what withdraws it. */
export async function publishAddress(folder: string, baseUrl: string): Promise<() => void> {
  const file = path.join(folder, PUBLISHED.address);
  await replaceOwn(file, `${JSON.stringify({ baseUrl })}\n`);
  return () => rmSync(file, { force: true });
}

/** Returns the text of a file of the folder, which `make` makes when there is none. */
async function kept(folder: string, name: string, make: () => Promise<string>): Promise<string> {
  const file = path.join(folder, name);
  const known = textOf(file);
  if (known !== undefined) return known;
  const made = await make();
  await replaceOwn(file, `${made}\n`);
  return made;
}

/** Returns undefined for a file that does not exist or is empty. */
function textOf(file: string): string | undefined {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return text === '' ? undefined : text;
}
