/** API keys with given permissions, created by the command in MAKE_KEY. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { makeKeyCommand, revokeKeyCommand } from './target';

export interface Permission {
  readonly buckets: readonly string[];
  readonly prefix?: string;
  readonly actions: readonly string[];
}

const KEY = /\bosk_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}\b/;

async function makeKey(permissions: readonly Permission[], tier = ''): Promise<string> {
  // The command is the operator's and goes through the shell; the permissions are an argument,
  // never shell text.
  const { stdout } = await promisify(execFile)(
    'sh',
    [
      '-c',
      `${makeKeyCommand()} ${tier && '--tier "$2"'} "$1"`,
      'sh',
      JSON.stringify(permissions),
      tier,
    ],
    { timeout: 60_000 },
  );
  const [key] = KEY.exec(stdout) ?? [];
  if (key === undefined) throw new Error('MAKE_KEY printed no key');
  return key;
}

/** Revokes a key for good. */
export async function revokeKey(key: string): Promise<void> {
  const command = `${revokeKeyCommand()} "$1"`;
  await promisify(execFile)('sh', ['-c', command, 'sh', key], { timeout: 60_000 });
}

/** A key for all tests of the surrounding `describe`: call it for the key. */
export function useKey(...permissions: Permission[]): () => string {
  return useMade(() => makeKey(permissions));
}

/** Likewise, in a tier of rate limits. */
export function useKeyOfTier(tier: string, ...permissions: Permission[]): () => string {
  return useMade(() => makeKey(permissions, tier));
}

function useMade(make: () => Promise<string>): () => string {
  let made: string | undefined;
  beforeAll(async () => {
    made = await make();
  });
  return () => {
    if (made === undefined)
      throw new Error('the key is made before the tests, not while they are registered');
    return made;
  };
}
