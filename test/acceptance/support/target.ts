/** The target of the tests, from the environment; README.md explains the variables. */
function required(name: 'BASE_URL' | 'API_KEY' | 'MAKE_KEY'): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
}

/** Origin and path prefix, without a final slash. */
export function baseUrl(): string {
  return required('BASE_URL').replace(/\/+$/, '');
}

/** Where the channel is opened: on the one origin, unless the target has another address for it. */
export function syncUrl(): string {
  return process.env.SYNC_URL || `${baseUrl().replace(/^http/, 'ws')}/api/v2/storage/sync`;
}

/** A key with every permission on every bucket. */
export function apiKey(): string {
  return required('API_KEY');
}

/** A shell command that prints a new key for the permissions (JSON) given as its last argument. */
export function makeKeyCommand(): string {
  return required('MAKE_KEY');
}
