import type { Log } from '../core/system';

/** Writes events as JSON, one line each, to standard error. */
export const jsonLog: Log = {
  info: (event, fields) => write('info', event, fields),
  error: (event, fields) => write('error', event, fields),
};

function write(level: string, event: string, fields: Readonly<Record<string, unknown>> = {}): void {
  const timestamp = new Date().toISOString();
  process.stderr.write(`${JSON.stringify({ timestamp, level, event, ...fields }, errorsAsText)}\n`);
}

function errorsAsText(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { name, message, stack, cause };
}
