/**
 * The @connections commands of a WebSocket API:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-how-to-call-websocket-api-connections.html
 */
import { createHash } from 'node:crypto';
import { AwsClient, type AwsClientOptions } from '../aws/aws-client';
import { AwsError } from '../aws/aws-error';

export type ConnectionsMethod = 'POST' | 'GET' | 'DELETE';

export interface ConnectionsClient {
  /** Makes one attempt. Throws AwsError. */
  send(method: ConnectionsMethod, connectionId: string, message?: string): Promise<void>;
}

/** The caller decides what to do after each failure. */
const TIMEOUTS = { connection: 1_000, request: 1_000 };

/** A message as it is sent: the same one often goes to many connections. */
interface Payload {
  readonly body: Buffer;
  readonly sha256: string;
}

/** Messages whose payloads are kept: a push has one at a time for each of a few prefixes. */
const KEPT_PAYLOADS = 16;

/**
 * For the connections of the WebSocket API whose stage is at `endpoint` (`https://…/{stage}`).
 * AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI, when set, overrides `endpoint`.
 */
export function createConnectionsClient(
  endpoint: string,
  options: Pick<AwsClientOptions, 'region' | 'credentials'> = {},
): ConnectionsClient {
  const { protocol, hostname, port, pathname } = new URL(
    process.env.AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI || endpoint,
  );
  const client = new AwsClient({
    ...options,
    service: 'execute-api',
    timeouts: TIMEOUTS,
    attempts: 1,
    endpoint: {
      protocol: protocol === 'http:' ? 'http:' : 'https:',
      hostname,
      ...(port !== '' && { port: Number(port) }),
    },
    parseError: ({ status, headers }) => {
      const [name = ''] = String(headers['x-amzn-errortype'] ?? '').split(':');
      const requestId = headers['x-amzn-requestid'];
      return new AwsError(name || `Status${status}`, {
        status,
        ...(typeof requestId === 'string' && { requestId }),
      });
    },
  });
  const payloads = new Map<string, Payload>();
  return {
    async send(method, connectionId, message) {
      const path = `${pathname}/@connections/${encodeURIComponent(connectionId)}`;
      if (message === undefined) await client.call({ method, path });
      else {
        const { body, sha256 } = payloadOf(payloads, message);
        await client.call({
          method,
          path,
          headers: { 'content-type': 'application/octet-stream', 'x-amz-content-sha256': sha256 },
          body,
        });
      }
    },
  };
}

function payloadOf(kept: Map<string, Payload>, message: string): Payload {
  const known = kept.get(message);
  if (known) return known;
  const body = Buffer.from(message);
  const payload = { body, sha256: createHash('sha256').update(body).digest('hex') };
  if (kept.size >= KEPT_PAYLOADS) kept.clear();
  kept.set(message, payload);
  return payload;
}
