/** Services by name, in a file that only this user may read. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '../../client/resources';
import { UserError } from './errors';
import { configFolder } from './folders';

/** A service, and the key for it. */
export interface Profile {
  readonly url: string;
  readonly key: string;
}

export interface Config {
  /** The profile of commands that name none. */
  readonly default?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

export function configFile(): string {
  return path.join(configFolder(), 'config.json');
}

/** Throws UserError for a file that is not a configuration. */
export function readConfig(): Config {
  let text: string;
  try {
    text = readFileSync(configFile(), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw error;
  }
  const config = parse(text);
  if (config) return config;
  throw new UserError(`${configFile()} is not a valid configuration: correct or delete it`);
}

function parse(text: string): Config | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || !isRecord(value.profiles)) return undefined;
  if (value.default !== undefined && typeof value.default !== 'string') return undefined;
  const isProfile = (each: unknown) =>
    isRecord(each) && typeof each.url === 'string' && typeof each.key === 'string';
  return Object.values(value.profiles).every(isProfile) ? (value as unknown as Config) : undefined;
}

/** Replaces the file in one step. */
export function writeConfig(config: Config): void {
  const file = configFile();
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const written = `${file}.${process.pid}.new`;
  writeFileSync(written, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  // The mode above does not change a file that was there.
  chmodSync(written, 0o600);
  renameSync(written, file);
}

/** Throws UserError when there is no such profile. */
export function profileNamed(name: string, config: Config = readConfig()): Profile {
  const profile = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  if (profile) return profile;
  const known = Object.keys(config.profiles).join(', ') || 'none';
  throw new UserError(`there is no profile ${name} (known: ${known}): see 'stowage login --help'`);
}
