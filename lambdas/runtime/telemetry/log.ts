/** Log events as JSON lines, for CloudWatch Logs and its metric filters. */
import type { Log } from '../../../core/system';
import { writeLine } from './write-line';

type Write = Log['error'];

/** `fatal`: what the authorizer's log shows, which leaves errors out (lib/functions). */
export const log: Log & { readonly fatal: Write } = {
  info: (event, fields) => write('info', event, fields),
  error: (event, fields) => write('error', event, fields),
  fatal: (event, fields) => write('fatal', event, fields),
};

function write(level: string, event: string, fields: Readonly<Record<string, unknown>> = {}): void {
  const timestamp = new Date().toISOString();
  writeLine(JSON.stringify({ timestamp, level, event, ...fields }, errorsAsText));
}

/** With the id of the request to AWS that failed, which AWS Support asks for. */
function errorsAsText(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  const { $metadata } = value as { readonly $metadata?: { readonly requestId?: string } };
  return { name, message, stack, cause, aws_request_id: $metadata?.requestId };
}
