import { WebSocket } from 'ws';
import { StowageClient } from '../../../client';
import { until } from '../../support/until';
import type { Running } from './local-service';

export type Follower = Awaited<ReturnType<typeof follow>>;

/**
 * Follows a bucket with the TypeScript client over WebSocket; returns once the subscription has a
 * cursor. `received` fills with the cursors of the changes.
 */
export async function follow(
  { baseUrl }: Pick<Running, 'baseUrl'>,
  apiKey: string,
  { bucket, prefix, signal }: { bucket: string; prefix: string; signal: AbortSignal },
) {
  const client = new StowageClient({
    baseUrl,
    apiKey,
    webSocket: (address, headers) => new WebSocket(address, { headers }),
  });
  const subscription = client.sync({ [bucket]: { prefix } }, { signal, transport: 'websocket' });
  const received: number[] = [];
  const read = async () => {
    for await (const event of subscription.events()) {
      if (event.type === 'put') received.push(event.object.cursor);
    }
  };
  const done = read();
  const cursor = () => subscription.progress(bucket).cursor;
  const begins = until(`following ${bucket}`, cursor, { timeoutMs: 120_000 });
  await Promise.race([begins, done]);
  return { received, cursor: () => cursor() ?? 0, done };
}
