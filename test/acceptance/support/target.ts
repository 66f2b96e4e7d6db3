/** The target of the tests, from the environment; README.md explains the variables. */
function required(name: 'STOWAGE_URL' | 'STOWAGE_KEY' | 'REVOKE_KEY'): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
}

/** Origin and path prefix, without a final slash. */
export function baseUrl(): string {
  return required('STOWAGE_URL').replace(/\/+$/, '');
}

/** URL of the channel: on the same origin, unless the target has another address for it. */
export function syncUrl(): string {
  return process.env.SYNC_URL || `${baseUrl().replace(/^http/, 'ws')}/api/v2/storage/sync`;
}

/** A key with every permission on every bucket. */
export function apiKey(): string {
  return required('STOWAGE_KEY');
}

/**
 * A shell command that prints a new key for the permissions (JSON) given as its last argument. A
 * service on this machine has a default: the command of README.md for the data folder .local.
 */
export function makeKeyCommand(): string {
  const { MAKE_KEY: command = '' } = process.env;
  if (command !== '') return command;
  if (['127.0.0.1', 'localhost'].includes(new URL(baseUrl()).hostname)) {
    return 'npm run --silent create-key --';
  }
  throw new Error(
    'MAKE_KEY is not set. For a deployed service, use the outputs of its stack: ' +
      "MAKE_KEY='npm run --silent create-key -- --table ApiKeysTableName --audit-table AuditTableName'",
  );
}

/** A shell command that revokes the key given as its last argument. */
export function revokeKeyCommand(): string {
  return required('REVOKE_KEY');
}
