/** Names of the environment variables, shared by the handlers and the constructs so that they cannot drift. */
export const ENV = {
  bucketsTable: 'BUCKETS_TABLE',
  objectsTable: 'OBJECTS_TABLE',
  changesTable: 'CHANGES_TABLE',
  uploadsTable: 'UPLOADS_TABLE',
  apiKeysTable: 'API_KEYS_TABLE',
  contentBucket: 'CONTENT_BUCKET',
  /** `stream` or `buffered`: how answers leave the function. */
  responseMode: 'RESPONSE_MODE',
  /** Seconds that superseded versions and log entries are kept. */
  retentionSeconds: 'RETENTION_SECONDS',
} as const;

export type EnvName = (typeof ENV)[keyof typeof ENV];

/** Throws at cold start, naming the variable, when the stack did not set it. */
export function requireEnv(name: EnvName): string {
  const value = process.env[name];
  if (value === undefined || value === '')
    throw new Error(`environment variable ${name} is not set`);
  return value;
}
