/** `stowage rm`: deletes objects. */
import { type StowageClient, StowageError } from '../../client/index';
import {
  addressText,
  folderPrefix,
  parseObject,
  parseRemote,
  type RemoteAddress,
} from '../shared/address';
import { EXIT, UsageError, UserError } from '../shared/errors';
import { confirm } from '../shared/prompt';
import type { Session } from '../shared/session';
import { eachConcurrently, Failures } from '../shared/several';
import { countText, shown, sizeText } from '../shared/text';

export interface RemoveOptions {
  readonly recursive?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

export async function rm(
  session: Session,
  texts: readonly string[],
  options: RemoveOptions,
): Promise<void> {
  if (options.recursive) return removeBelow(session, texts.map(folderOf), options);
  if (options.dryRun) throw new UsageError('--dry-run is for -r');
  const addresses = texts.map(parseObject);
  const folder = addresses.find(({ key }) => key.endsWith('/'));
  if (folder) throw new UsageError(`pass -r to delete everything below ${addressText(folder)}`);
  const { output, signal } = session;
  const client = await session.client();
  const failures = new Failures(session);
  await eachConcurrently(addresses, 4, (address) =>
    failures.attempt(addressText(address), async () => {
      const { bucket, key } = address;
      try {
        const deleted = await client.delete(bucket, key, { signal });
        await output.print(deleted, `deleted ${shown(addressText(address))}`);
      } catch (error) {
        const isAbsent = error instanceof StowageError && error.code === 'not_found';
        if (!isAbsent || !options.force) throw error;
      }
    }),
  );
  failures.end();
}

/** As in cp and sync, `photos:2026` does not contain the objects of `photos:2026-old`. */
function folderOf(text: string): RemoteAddress {
  const { bucket, key } = parseRemote(text);
  return { bucket, key: folderPrefix(key) };
}

async function removeBelow(
  session: Session,
  addresses: readonly RemoteAddress[],
  { yes, force, dryRun }: RemoveOptions,
): Promise<void> {
  const { output, signal } = session;
  const client = await session.client();
  for (const address of addresses) {
    const { bucket, key: prefix } = address;
    const found = await count(client, address, signal);
    const what = `${countText(found.objects, 'object')} (${sizeText(found.size)})`;
    const where = shown(addressText(address));
    if (found.objects === 0 && prefix !== '' && !force) {
      throw new UserError(`nothing is below ${where}: an object needs no -r`, EXIT.notFound);
    }
    if (dryRun) {
      await output.print({ bucket, prefix, ...found }, `would delete ${what} below ${where}`);
      continue;
    }
    if (!yes && !(await confirm(`Delete ${what} below ${where}?`, signal))) {
      throw new UserError('nothing was deleted');
    }
    const deleted = await client.removeAll(bucket, prefix, { signal });
    await output.print(
      { bucket, prefix, deleted, cursor: found.cursor },
      `deleted ${countText(deleted, 'object')} below ${where}`,
    );
    output.note(`'stowage undo ${where} --to ${found.cursor}' brings them back`);
  }
}

/** `cursor` is the bucket's cursor before the deletion. */
async function count(
  client: StowageClient,
  { bucket, key: prefix }: RemoteAddress,
  signal: AbortSignal,
): Promise<{ readonly objects: number; readonly size: number; readonly cursor: number }> {
  const { cursor } = await client.list(bucket, { prefix, limit: 1, signal });
  let [objects, size] = [0, 0];
  for await (const object of client.objects(bucket, { prefix, signal })) {
    objects += 1;
    size += object.size;
  }
  return { objects, size, cursor };
}
