/** `stowage restore` and `undo`: earlier versions of objects, and earlier states of a bucket. */
import type { RestoreResult, StowageClient } from '../../client/index';
import { addressText, parseObject, parseRemote, type RemoteAddress } from '../shared/address';
import type { Moment } from '../shared/durations';
import { EXIT, UserError } from '../shared/errors';
import { confirm } from '../shared/prompt';
import type { Session } from '../shared/session';
import { Failures } from '../shared/several';
import { countText, shown, sizeText } from '../shared/text';
import { cursorAt } from './cursor-at';
import { everyVersion, resultOf, type WhichVersion } from './one-object';

export async function restore(
  session: Session,
  texts: readonly string[],
  which: WhichVersion,
): Promise<void> {
  const { output } = session;
  const client = await session.client();
  const failures = new Failures(session);
  for (const address of texts.map(parseObject)) {
    await failures.attempt(addressText(address), async () => {
      const { bucket, key } = address;
      const version = await versionOf(session, client, address, which);
      const object = await client.copy(bucket, key, { key, version });
      await output.print(object, `${resultOf(object)} has the content of version ${version}`);
    });
  }
  failures.end();
}

/** Returns the named version, or by default the newest one before the last change. */
async function versionOf(
  { signal }: Session,
  client: StowageClient,
  address: RemoteAddress,
  { versionNumber, asOf }: WhichVersion,
): Promise<number> {
  if (versionNumber !== undefined) return versionNumber;
  const { bucket, key } = address;
  if (asOf !== undefined) return (await client.describe(bucket, key, { asOf, signal })).version;
  let isFirst = true;
  for await (const { type, version } of everyVersion(client, address, signal)) {
    if (!isFirst && type === 'put') return version;
    isFirst = false;
  }
  throw new UserError('no earlier version of it is kept', EXIT.notFound);
}

export interface UndoOptions {
  readonly to: Moment;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Prints what would change, asks, and restores. */
export async function undo(
  session: Session,
  text: string,
  { to, dryRun, yes }: UndoOptions,
): Promise<void> {
  const { output, signal } = session;
  const address = parseRemote(text);
  const client = await session.client();
  const asOf = 'cursor' in to ? to.cursor : await cursorAt(client, address.bucket, to.time, signal);
  const wanted = { client, address, asOf, signal };
  const where = shown(addressText(address));
  if (dryRun || !yes) {
    const planned = await plan(session, wanted);
    if (dryRun) return;
    const question = `Bring ${where} back to cursor ${asOf}: ${planned}?`;
    if (!(await confirm(question, signal))) throw new UserError('nothing was changed');
  }
  const done = { restored: 0, deleted: 0, unchanged: 0 };
  const failures = new Failures(session);
  for await (const part of parts(wanted, false)) {
    for (const name of ['restored', 'deleted', 'unchanged'] as const) done[name] += part[name];
    for (const { key, reason } of part.failed ?? []) {
      await failures.attempt(`${address.bucket}:${key}`, async () => {
        throw new UserError(`left as it is: ${reason}`);
      });
    }
  }
  const counts = `${done.restored} restored, ${done.deleted} deleted, ${done.unchanged} unchanged`;
  await output.print(
    { bucket: address.bucket, as_of: asOf, ...done },
    `${where} as of cursor ${asOf}: ${counts}`,
  );
  failures.end();
}

interface Wanted {
  readonly client: StowageClient;
  readonly address: RemoteAddress;
  readonly asOf: number;
  readonly signal: AbortSignal;
}

/** Prints each change. Returns their number. */
async function plan({ output }: Session, wanted: Wanted): Promise<string> {
  const { bucket } = wanted.address;
  let [restored, deleted] = [0, 0];
  for await (const { changes = [] } of parts(wanted, true)) {
    for (const change of changes) {
      const { key, type, version, size } = change;
      if (type === 'put') restored += 1;
      else deleted += 1;
      const text =
        type === 'put'
          ? `would restore ${shown(key)}: version ${version}, ${sizeText(size ?? 0)}`
          : `would delete  ${shown(key)}`;
      await output.print({ bucket, dry_run: true, ...change }, text);
    }
  }
  output.note(`as of cursor ${wanted.asOf}: ${restored} to restore, ${deleted} to delete`);
  return `${countText(restored, 'object')} restored, ${deleted} deleted`;
}

async function* parts(
  { client, address, asOf, signal }: Wanted,
  dryRun: boolean,
): AsyncGenerator<RestoreResult, void, undefined> {
  const { bucket, key: prefix } = address;
  let pageToken: string | undefined;
  do {
    const part = await client.restore(bucket, { asOf, prefix, dryRun, pageToken, signal });
    yield part;
    pageToken = part.next_page_token;
  } while (pageToken !== undefined);
}
