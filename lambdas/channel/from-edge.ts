/** Refuses handshakes that did not come through the distribution. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { ServiceError } from '../../core/errors';
import { errorResponse } from '../../service/http/response';
import type { ChannelEvent } from './app';

type Channel = (event: ChannelEvent) => Promise<APIGatewayProxyResult>;

/**
 * A WebSocket API has no resource policy, so the function compares the secret of the distribution,
 * before it looks at the ticket or the key. Without secrets it passes every event on. AWS calls:
 * none.
 */
export function fromEdge(secrets: readonly string[] | undefined, channel: Channel): Channel {
  if (secrets === undefined) return channel;
  const accepted = secrets.map(digest);
  return async (event) => {
    const { eventType, requestId } = event.requestContext;
    if (eventType !== 'CONNECT') return channel(event);
    const headers = Object.entries(event.headers ?? {});
    const shown = headers.find(([name]) => name.toLowerCase() === 'referer')?.[1];
    if (shown !== undefined && accepted.some((one) => timingSafeEqual(one, digest(shown)))) {
      return channel(event);
    }
    const error = new ServiceError('forbidden', {
      message: 'this address opens no channels: open them at the base URL of the service',
    });
    const { status, headers: own, body } = errorResponse(error, requestId);
    return { statusCode: status, headers: { ...own }, body: String(body) };
  };
}

/** Digests have one length, which timingSafeEqual requires. */
function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
