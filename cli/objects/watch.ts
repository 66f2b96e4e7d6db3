/** `stowage watch`: prints changes of a bucket as they happen. */
import { StowageError, type SubscriptionEvent } from '../../client/index';
import { parseRemote, type RemoteAddress } from '../shared/address';
import { EXIT, UserError } from '../shared/errors';
import type { Session } from '../shared/session';
import { shown, sizeText } from '../shared/text';

export interface WatchOptions {
  readonly cursor?: number;
  readonly transport: 'auto' | 'websocket' | 'poll';
}

/** Prints changes until the user ends the command, which exits with 0. */
export async function watch(
  session: Session,
  text: string,
  { cursor, transport }: WatchOptions,
): Promise<void> {
  const address = parseRemote(text);
  const { bucket, key: prefix } = address;
  const { output, signal } = session;
  const client = await session.client();
  const subscription = client.sync({ [bucket]: { cursor, prefix } }, { signal, transport });
  let isBegun = false;
  for await (const event of subscription.events()) {
    if (event.type === 'ended') throw explained(event.error, bucket);
    if (event.type === 'reset') {
      throw new UserError(
        `the change log begins at cursor ${event.oldest}: ` +
          `watch from --cursor ${event.oldest - 1} or later`,
      );
    }
    if (event.type === 'put' || event.type === 'delete') await output.print(event, line(event));
    const remark = isBegun && event.type === 'cursor' ? undefined : note(event, address);
    isBegun ||= event.type === 'cursor';
    if (remark !== undefined) output.note(remark);
  }
}

function line(event: Extract<SubscriptionEvent, { readonly type: 'put' | 'delete' }>): string {
  const { cursor, object } = event;
  const what = `${String(cursor).padStart(6)}  ${event.type.padEnd(6)}  ${shown(object.key)}`;
  if (event.type === 'delete') return `${what}  version ${object.version}`;
  const { size, version, content_type: type } = event.object;
  return `${what}  version ${version}, ${sizeText(size)}, ${shown(type)}`;
}

/** Returns the note that reports a change of the connection. */
function note(event: SubscriptionEvent, { bucket, key }: RemoteAddress): string | undefined {
  if (event.type === 'cursor') {
    const where = key ? `${bucket} below ${shown(key)}` : bucket;
    return `watching ${where} from cursor ${event.cursor}`;
  }
  if (event.type !== 'status') return undefined;
  if (event.status === 'disconnected') return `disconnected: ${event.reason}; trying again`;
  return `connected by ${event.transport === 'poll' ? 'long polling' : 'WebSocket'}`;
}

function explained(error: unknown, bucket: string): unknown {
  if (!(error instanceof StowageError)) return error;
  const reference = error.requestId === undefined ? '' : ` (request ${error.requestId})`;
  if (error.code === 'forbidden') {
    return new UserError(`this API key may not watch ${bucket}${reference}`, EXIT.refused);
  }
  if (error.code !== 'not_found') return error;
  return new UserError(`there is no bucket ${bucket}${reference}`, EXIT.notFound);
}
