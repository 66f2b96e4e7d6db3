/** Log events as JSON lines on stdout, for CloudWatch Logs and its metric filters. */
import type { Log } from '../../../core/system';

export const log: Log = {
  info: (event, fields) => write('info', event, fields),
  error: (event, fields) => write('error', event, fields),
};

function write(level: string, event: string, fields: Readonly<Record<string, unknown>> = {}): void {
  console.log(JSON.stringify({ level, event, ...fields }, errorsAsText));
}

function errorsAsText(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  return { name: value.name, message: value.message, stack: value.stack, cause: value.cause };
}
