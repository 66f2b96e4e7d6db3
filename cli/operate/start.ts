/**
 * What `npm run emulate` and `npx stowage start` run once everything is synthesized: the emulator,
 * and the first API key.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DEFAULT_DATA, type Embedding, runCommand } from '../../emulator/src/command/command';
import { UserError } from '../../emulator/src/errors/user-error';
import type { LocalRuntime } from '../../emulator/src/runtime/runtime';
import { ENV } from '../../lambdas/runtime/env';
import type { KeyAndRateTables } from './api-keys';
import { KEY_TABLES_FILE } from './key-target';

/** The commands that the output names, as the user types them. */
export interface CommandNames {
  readonly start: string;
  readonly createKey: string;
  /** What stands between a command and its options. */
  readonly separator: string;
}

/**
 * Returns the first API key. It is created on the first start and saved in the data folder,
 * readable by this user only, so that a restart prints it again. It is valid only for the data of
 * the folder.
 */
async function firstKey(
  runtime: LocalRuntime,
  tables: KeyAndRateTables,
  folder: string,
  by: string,
): Promise<string> {
  const file = path.join(folder, 'first-api-key');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    // The first start.
  }
  const { createFirstKey } = await import('./first-key');
  const text = await createFirstKey(runtime, tables, by);
  writeFileSync(file, `${text}\n`, { mode: 0o600 });
  return text;
}

/** Lists the other APIs of the stack. */
function otherApis({ apis }: LocalRuntime): string {
  return Object.entries(apis)
    .map(([id, url]) => `  API ${id}  ${url}/\n`)
    .join('');
}

/** What differs from the template, one line each. */
function notesOf({ notes }: LocalRuntime): string {
  return notes.map((note) => `  note       ${note}\n`).join('');
}

/** The sign-in page and the development user. */
function signInOf({ signIn }: LocalRuntime): string {
  if (signIn === undefined) return '';
  return `  sign-in    ${signIn.issuer}
             as ${signIn.user} with password ${signIn.password}
             (for development only: this user exists on this machine only)
`;
}

/**
 * Returns the tables of the stack's ObjectStorage, or of the first one if there are several. They
 * are read from the environment of the function `admin`, because a stack may have no outputs for
 * them. Throws when the stack has no ObjectStorage.
 */
function keyTables(runtime: LocalRuntime): KeyAndRateTables {
  for (const { type, properties } of runtime.stack.resources.values()) {
    if (type !== 'AWS::Lambda::Function') continue;
    const { Environment: environment } = properties as {
      Environment?: { Variables?: Readonly<Record<string, string>> };
    };
    const apiKeys = environment?.Variables?.[ENV.apiKeysTable];
    const audit = environment?.Variables?.[ENV.auditTable];
    const rates = environment?.Variables?.[ENV.ratesTable];
    if (apiKeys !== undefined && audit !== undefined && rates !== undefined) {
      return { apiKeys, audit, rates };
    }
  }
  throw new UserError(
    `the stack ${runtime.stack.stackName} has no ObjectStorage: ` +
      'select a stack that has one with --stack',
  );
}

/** Runs a stack until it is interrupted. emulator/src/command/command.ts has the options. */
export async function emulate(argv: readonly string[], names: CommandNames): Promise<void> {
  const announce: Embedding['announce'] = async (runtime, options) => {
    const tables = keyTables(runtime);
    writeFileSync(path.join(options.dataDir, KEY_TABLES_FILE), `${JSON.stringify(tables)}\n`);
    const key = await firstKey(runtime, tables, options.dataDir, names.start);
    const { dataDir } = options;
    const createKey =
      dataDir === DEFAULT_DATA
        ? names.createKey
        : `${names.createKey}${names.separator} --data ${dataDir}`;
    process.stdout.write(`
stowage runs on this machine, from the template that cdk deploy deploys.

  dashboard  ${runtime.baseUrl}/
  base URL   ${runtime.baseUrl}
  API key    ${key}
${otherApis(runtime)}  data       ${options.dataDir} (delete it to start with an empty service)
${signInOf(runtime)}${notesOf(runtime)}
Try it in another terminal:

  export STOWAGE_URL=${runtime.baseUrl} STOWAGE_KEY=${key}
  curl -X POST $STOWAGE_URL/api/v2/storage/buckets \\
    -H "Authorization: Bearer $STOWAGE_KEY" -d '{"name":"photos"}'

More keys: ${createKey}. Ctrl-C stops everything.
`);
  };
  await runCommand(argv, {
    announce,
    websocketPath: '/api/v2/storage/sync',
    signInTitle: 'Sign in to stowage',
  });
}
