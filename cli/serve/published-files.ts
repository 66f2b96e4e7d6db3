/**
 * The files by which `stowage serve` lets other commands of this user find it: its address, its
 * first API key, and the secret of its sign-in links.
 */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { requireOwn } from '../../server/data-folder/own-folder';
import { UserError } from '../shared/errors';

const FIRST_KEY = 'first-api-key';
const ADDRESS = 'endpoints.json';
const SECRET = 'sign-in-secret';

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
export function signInSecret(folder: string): string {
  return kept(path.join(folder, SECRET), () => randomBytes(32).toString('base64url'));
}

/** Returns the secret of a service, or undefined when `stowage serve` does not serve the folder. */
export function secretOf(folder: string): string | undefined {
  return textOf(path.join(folder, SECRET));
}

/** Returns the first API key, which `create` makes at the first start. */
export async function firstKeyOf(folder: string, create: () => Promise<string>): Promise<string> {
  const file = path.join(folder, FIRST_KEY);
  return textOf(file) ?? write(file, await create());
}

/** Publishes the address of the service. Returns what withdraws it. */
export function publishAddress(folder: string, baseUrl: string): () => void {
  const file = path.join(folder, ADDRESS);
  write(file, JSON.stringify({ baseUrl }));
  return () => rmSync(file, { force: true });
}

function kept(file: string, make: () => string): string {
  return textOf(file) ?? write(file, make());
}

/** Replaces the file in one step. It is on the disk when this returns. */
function write(file: string, text: string): string {
  const fresh = `${file}.new`;
  rmSync(fresh, { force: true });
  const handle = openSync(fresh, 'wx', 0o600);
  writeSync(handle, `${text}\n`);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(fresh, file);
  return text;
}

/** Returns undefined for a file that does not exist or is empty. */
function textOf(file: string): string | undefined {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return text === '' ? undefined : text;
}
