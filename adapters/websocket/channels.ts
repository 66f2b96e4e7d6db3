import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import type { Channels, PostOutcome } from '../../core/channel/ports';

/**
 * A post is repeated over another connection only this long after it began: its attempts then take
 * at most a second and a half. The client's next ping makes up for the message.
 */
const REPEAT_WITHIN_MS = 500;

/** For repeated calls: with exponential backoff and jitter they wait at most about a second. */
const ATTEMPTS = 4;
const FIRST_WAIT_MS = 70;

/** Node's error codes of a connection that broke, such as a keep-alive that the peer closed. */
const BROKEN = ['ECONNRESET', 'EPIPE'];
/** Node's error codes of a connection that could not be opened. */
const UNREACHABLE = ['ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'EAI_AGAIN', 'ENOTFOUND'];

/** The Channels port on the @connections commands of a WebSocket API. */
export class GatewayChannels implements Channels {
  constructor(private readonly client: Pick<ApiGatewayManagementApiClient, 'send'>) {}

  /**
   * AWS calls: 1 PostToConnection; 2 when the connection to the gateway broke. At most 1.5 s, and
   * nine more if a response stops half-way. Throws when the gateway refuses the message itself.
   */
  async post(connectionId: string, message: string): Promise<PostOutcome> {
    const began = performance.now();
    const call = new PostToConnectionCommand({ ConnectionId: connectionId, Data: message });
    const send = () => this.client.send(call);
    try {
      await send().catch((error: unknown) => {
        const isLate = performance.now() - began > REPEAT_WITHIN_MS;
        if (isLate || !BROKEN.includes(codeOf(error))) throw error;
        return send();
      });
      return 'sent';
    } catch (error) {
      return failure(error);
    }
  }

  /** AWS calls: 1 GetConnection; up to 4 while the gateway is busy, then throws. */
  async isOpen(connectionId: string): Promise<boolean> {
    const call = new GetConnectionCommand({ ConnectionId: connectionId });
    return (await pastBusy(() => this.client.send(call))) !== 'gone';
  }

  /** AWS calls: 1 DeleteConnection; up to 4 while the gateway is busy, then throws. */
  async disconnect(connectionId: string): Promise<void> {
    const call = new DeleteConnectionCommand({ ConnectionId: connectionId });
    await pastBusy(() => this.client.send(call));
  }
}

async function pastBusy(call: () => Promise<unknown>): Promise<'done' | 'gone'> {
  for (let attempt = 1; ; attempt++) {
    try {
      await call();
      return 'done';
    } catch (error) {
      if (failure(error) === 'gone') return 'gone';
      if (attempt === ATTEMPTS) throw error;
    }
    await sleep(Math.random() * FIRST_WAIT_MS * 2 ** attempt);
  }
}

/** The outcome of a failed call. Throws the error if a repetition would fail in the same way. */
function failure(error: unknown): 'gone' | 'busy' {
  const status = statusOf(error);
  if (status === 410) return 'gone';
  if (status === 429 || (status !== undefined && status >= 500)) return 'busy';
  if (status === undefined && isOutOfReach(error)) return 'busy';
  throw error;
}

function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return true;
  return [...BROKEN, ...UNREACHABLE].includes(codeOf(error));
}

/** The status of the response, even if the SDK could not parse it; undefined without one. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
