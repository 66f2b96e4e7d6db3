/**
 * The trace header by which Lambda finds recursive loops: `Root=…;Parent=…;Sampled=0;Lineage=…`.
 * The lineage says how often each function was invoked in one chain of requests:
 * `hash:count|hash:count`. Lambda passes the header to the function as `_X_AMZN_TRACE_ID`, the AWS
 * SDK in the function sends it with each call, and SQS keeps it with the message.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
import { createHash } from 'node:crypto';
import { randomId } from '../../values/random-ids';

/** Invocations of a function in one chain after which Lambda stops the next one. */
export const MAX_INVOCATIONS = 16;

/** How often the function was invoked in the chain before. `header` undefined: a new chain. */
export function invocationsIn(header: string | undefined, functionArn: string): number {
  return lineageOf(header).get(hashOf(functionArn)) ?? 0;
}

/** The header of an invocation of the function that is caused by a call with `header`. */
export function nextHeader(header: string | undefined, functionArn: string): string {
  const lineage = lineageOf(header);
  lineage.set(hashOf(functionArn), invocationsIn(header, functionArn) + 1);
  return format(fieldsOf(header).get('Root') ?? newRoot(), lineage);
}

/** One header for a batch: the first one's root, and the highest count of each function. */
export function mergedHeader(headers: readonly string[]): string | undefined {
  const [first] = headers;
  if (first === undefined) return undefined;
  const lineage = new Map<string, number>();
  for (const header of headers) {
    for (const [hash, count] of lineageOf(header)) {
      lineage.set(hash, Math.max(lineage.get(hash) ?? 0, count));
    }
  }
  return format(fieldsOf(first).get('Root') ?? newRoot(), lineage);
}

function format(root: string, lineage: ReadonlyMap<string, number>): string {
  const counts = [...lineage].map(([hash, count]) => `${hash}:${count}`).join('|');
  const parent = randomId(8, 'hex');
  return `Root=${root};Parent=${parent};Sampled=0${counts === '' ? '' : `;Lineage=${counts}`}`;
}

function newRoot(): string {
  const seconds = Math.floor(Date.now() / 1000).toString(16);
  return `1-${seconds}-${randomId(12, 'hex')}`;
}

function fieldsOf(header = ''): ReadonlyMap<string, string> {
  return new Map(
    header.split(';').map((field) => {
      const end = field.indexOf('=');
      return [field.slice(0, end), field.slice(end + 1)];
    }),
  );
}

/** Ignores text that is not a count. */
function lineageOf(header: string | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  for (const entry of (fieldsOf(header).get('Lineage') ?? '').split('|')) {
    const [, hash = '', count] = /^([0-9a-f]{8}):(\d{1,5})$/.exec(entry) ?? [];
    if (count !== undefined) counts.set(hash, Number(count));
  }
  return counts;
}

/** By the ARN of a function of the stack. */
const HASHES = new Map<string, string>();

function hashOf(functionArn: string): string {
  const known = HASHES.get(functionArn);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(functionArn).digest('hex').slice(0, 8);
  HASHES.set(functionArn, hash);
  return hash;
}
