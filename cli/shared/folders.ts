/**
 * Where the command keeps its files: the XDG Base Directory Specification, and on Windows the
 * folders that programs have there.
 */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the folder of the profiles, which contain API keys. */
export function configFolder(env: Environment = process.env): string {
  if (process.platform === 'win32' && env.APPDATA) return path.join(env.APPDATA, 'stowage');
  return path.join(absolute(env.XDG_CONFIG_HOME) ?? path.join(homedir(), '.config'), 'stowage');
}

/** Returns the folder of the state from which interrupted commands continue. */
export function stateFolder(env: Environment = process.env): string {
  if (process.platform === 'win32' && env.LOCALAPPDATA) {
    return path.join(env.LOCALAPPDATA, 'stowage');
  }
  const state = absolute(env.XDG_STATE_HOME) ?? path.join(homedir(), '.local', 'state');
  return path.join(state, 'stowage');
}

/** Returns a file name that stands for a text of any length. */
export function fileNameFor(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The specification says to ignore a relative path. */
function absolute(folder: string | undefined): string | undefined {
  return folder !== undefined && path.isAbsolute(folder) ? folder : undefined;
}
