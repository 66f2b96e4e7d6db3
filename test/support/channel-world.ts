/** The change channel on the fakes: connections whose messages are read as their client would. */
import { newApiKey } from '../../core/access/api-key';
import type { ApiKeyRecord, Permission } from '../../core/access/ports';
import { Pusher } from '../../core/channel/push';
import { DEFAULT_RATES, type TierRates } from '../../core/limits';
import { publishChanges } from '../../core/log/publish';
import { PushLease } from '../../core/log/push-lease';
import { type ChannelEvent, createChannel } from '../../lambdas/channel/app';
import { BUCKET, openBucket } from './bucket-world';
import { EVERYTHING } from './requests';

// biome-ignore lint/suspicious/noExplicitAny: JSON of every message that there is
export type Message = any;

export type ChannelWorld = Awaited<ReturnType<typeof openChannelWorld>>;

export async function openChannelWorld(
  options: { readonly allowedOrigins?: string[]; readonly rates?: Partial<TierRates> } = {},
) {
  const { deps, bucket } = await openBucket();
  const world = {
    ...deps,
    allowedOrigins: options.allowedOrigins ?? [],
    // A thousand channels are opened at one moment, because the clock stands still.
    rateTiers: {
      default: {
        ...DEFAULT_RATES,
        connect: { rate: 20, burst: 2000, concurrent: 2000 },
        ...options.rates,
      },
    },
  };
  const sync = createChannel(world);
  const pusher = new Pusher(world);

  function addKey(permissions: readonly Permission[] = EVERYTHING, extra: object = {}) {
    const { id, text, secretHash } = newApiKey();
    const createdAt = deps.clock.iso();
    const record: ApiKeyRecord = { id, name: 'k', secretHash, permissions, createdAt, ...extra };
    deps.state.apiKeys.set(id, record);
    return { id, text, record };
  }

  const connect = (
    connectionId: string,
    { headers, query = {} }: { headers?: Record<string, string>; query?: Record<string, string> },
  ) =>
    sync({
      requestContext: { connectionId, requestId: 'request-1', eventType: 'CONNECT' },
      headers,
      multiValueQueryStringParameters: Object.fromEntries(
        Object.entries(query).map(([name, value]) => [name, [value]]),
      ),
    } satisfies ChannelEvent);

  /** Opens a channel, by default of a key that may do everything. */
  async function open(connectionId = 'c1', key = addKey()) {
    const response = await connect(connectionId, {
      headers: { Authorization: `Bearer ${key.text}` },
    });
    if (response.statusCode !== 200) throw new Error(response.body);
    const closed: true[] = [];
    deps.gateway.open(connectionId, undefined, () => closed.push(true));
    let read = 0;
    return {
      key,
      get isClosed() {
        return closed.length > 0;
      },
      /** Sends a message and returns the messages received since the last call. */
      async say(message: unknown): Promise<Message[]> {
        const body = typeof message === 'string' ? message : JSON.stringify(message);
        await sync({
          requestContext: { connectionId, requestId: 'request-2', eventType: 'MESSAGE' },
          body,
        });
        return this.news();
      },
      news(): Message[] {
        const all = deps.gateway.messages(connectionId);
        const news = all.slice(read);
        read = all.length;
        return news.map((text) => JSON.parse(text));
      },
      end: () =>
        sync({ requestContext: { connectionId, requestId: 'request-3', eventType: 'DISCONNECT' } }),
    };
  }

  /** What fanout does when it is woken. */
  const push = () => {
    const lease = new PushLease(world, 'instance');
    return publishChanges(world, BUCKET, {
      lease,
      push: (...run) => pusher.push(...run, { lease }),
    });
  };

  return { deps: world, bucket, addKey, connect, open, push };
}
