/** `stowage cat`, `stat` and `versions`: content, descriptor and history of an object. */
import type { ObjectDescriptor, ObjectVersion, StowageClient } from '../../client/index';
import { parseObject, parseRemote, type RemoteAddress } from '../shared/address';
import { UsageError, UserError } from '../shared/errors';
import { standardOutput } from '../shared/output';
import type { Session } from '../shared/session';
import { shown, sizeText, timeText } from '../shared/text';

/** Selects a version of an object; without both, the current one. */
export interface WhichVersion {
  readonly versionNumber?: number;
  readonly asOf?: number;
}

export interface CatOptions extends WhichVersion {
  readonly range?: string;
}

export async function cat(
  session: Session,
  texts: readonly string[],
  { versionNumber: version, asOf, range }: CatOptions,
): Promise<void> {
  const { signal } = session;
  const client = await session.client();
  for (const { bucket, key } of texts.map(parseObject)) {
    if (range === undefined) {
      await client.download(bucket, key, standardOutput(), { version, asOf, signal });
      continue;
    }
    const [, from, to] = /^(\d{1,15})-(\d{1,15})?$/.exec(range) ?? [];
    if (from === undefined) throw new UsageError(`--range must be such as 0-99, got ${range}`);
    const bytes = { from: Number(from), ...(to !== undefined && { to: Number(to) }) };
    const which = { version, asOf, range: bytes, signal };
    const { headers, body } = await client.get(bucket, key, which);
    if (headers.has('content-encoding')) {
      await body?.cancel();
      throw new UserError(`${key} has a Content-Encoding: --range requires an object without one`);
    }
    await body?.pipeTo(standardOutput(), { signal });
  }
}

export async function stat(
  session: Session,
  text: string,
  { versionNumber: version, asOf }: WhichVersion,
): Promise<void> {
  const { output, signal } = session;
  const { bucket, key } = parseRemote(text);
  const client = await session.client();
  const found =
    key === ''
      ? await client.buckets.get(bucket, { signal })
      : await client.describe(bucket, key, { version, asOf, signal });
  await output.print(found, fieldsText(found));
}

/** Returns a line for each field, with the field names of docs/api.md. */
function fieldsText(found: object): string {
  const lines = Object.entries(found).map(([name, value]) => {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    const size =
      /^(total_)?size$/.test(name) && Number(value) >= 1000 ? ` (${sizeText(Number(value))})` : '';
    return `${`${name}:`.padEnd(17)} ${shown(text)}${size}`;
  });
  return lines.join('\n');
}

export async function versions(session: Session, text: string): Promise<void> {
  const { output, signal } = session;
  const client = await session.client();
  for await (const each of everyVersion(client, parseObject(text), signal)) {
    const { version, cursor, type, at, size, by, cause } = each;
    const what = type === 'put' ? sizeText(size ?? 0) : `deleted${cause ? ` (${cause})` : ''}`;
    const figures = `${String(version).padStart(5)}  ${timeText(at)}  ${what.padStart(9)}`;
    await output.print(each, `${figures}  cursor ${cursor}${by ? `  by ${shown(by)}` : ''}`);
  }
}

/** Yields the versions of an object, newest first. */
export async function* everyVersion(
  client: StowageClient,
  { bucket, key }: RemoteAddress,
  signal: AbortSignal,
): AsyncGenerator<ObjectVersion, void, undefined> {
  let before: number | undefined;
  do {
    const page = await client.versions(bucket, key, { before, limit: 1000, signal });
    yield* page.versions;
    before = page.next_before;
  } while (before !== undefined);
}

/** Returns the line that reports a stored object. */
export function resultOf(object: ObjectDescriptor): string {
  return `${shown(`${object.bucket}:${object.key}`)}  version ${object.version}`;
}
