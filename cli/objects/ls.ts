/** `stowage ls`: buckets, and the objects of one. */
import type { StowageClient } from '../../client/index';
import { parseRemote, type RemoteAddress } from '../shared/address';
import type { Session } from '../shared/session';
import { shown, sizeText, timeText } from '../shared/text';

export interface ListOptions {
  readonly long?: boolean;
  readonly recursive?: boolean;
  readonly asOf?: number;
}

export async function ls(
  session: Session,
  address: string | undefined,
  options: ListOptions,
): Promise<void> {
  const client = await session.client();
  if (address === undefined) return listBuckets(session, client, options);
  await listObjects(session, client, parseRemote(address), options);
}

async function listBuckets(
  { output, signal }: Session,
  client: StowageClient,
  { long }: ListOptions,
): Promise<void> {
  for await (const bucket of client.buckets.list({ signal })) {
    const { name, created_at, object_count: count, total_size: size } = bucket;
    const figures = [sizeText(size ?? 0).padStart(8), String(count ?? '').padStart(9)];
    const text = long ? `${timeText(created_at)}  ${figures.join('  ')}  ${name}:` : `${name}:`;
    await output.print(bucket, text);
  }
}

async function listObjects(
  { output, signal }: Session,
  client: StowageClient,
  { bucket, key: prefix }: RemoteAddress,
  { long, recursive, asOf }: ListOptions,
): Promise<void> {
  const delimiter = recursive ? undefined : '/';
  let pageToken: string | undefined;
  do {
    const query = { prefix, delimiter, limit: 1000, pageToken, asOf, signal };
    const page = await client.list(bucket, query);
    for (const folder of page.prefixes) {
      const text = long ? `${''.padEnd(20)}  ${''.padEnd(8)}  ${shown(folder)}` : shown(folder);
      await output.print({ bucket, prefix: folder }, text);
    }
    for (const object of page.objects) {
      const { key, size, updated_at } = object;
      const figures = `${timeText(updated_at)}  ${sizeText(size).padStart(8)}`;
      await output.print(object, long ? `${figures}  ${shown(key)}` : shown(key));
    }
    pageToken = page.next_page_token;
  } while (pageToken !== undefined);
}
