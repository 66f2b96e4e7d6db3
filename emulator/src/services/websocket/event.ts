/** Builds the events of a WebSocket API as captured from real ones (format 1.0 without paths). */
import { randomBytes } from 'node:crypto';
import { commonLogTime } from '../rest-api/request/context';
import {
  type EventHeaders,
  eventHeaders,
  type Fields,
  headerValue,
} from '../rest-api/request/headers';
import type { Query } from '../rest-api/request/target';
import { domainName, type WebSocketModel } from './model';

/** The client of a connection. */
export interface Peer {
  /** `TXzPWdnOjoECGjA=` */
  readonly connectionId: string;
  /** Milliseconds since the epoch. */
  readonly connectedAt: number;
  readonly identity: { readonly userAgent?: string; readonly sourceIp: string };
}

/** Eleven bytes in URL-safe base64, which end in `=`, as the ids of AWS do. */
export function newId(): string {
  return `${randomBytes(11).toString('base64url')}=`;
}

export function isId(text: string): boolean {
  return /^[\w-]{15}=$/.test(text);
}

interface Occasion {
  readonly model: WebSocketModel;
  readonly peer: Peer;
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

function context({ model, peer, requestId, time }: Occasion, routeKey: string, eventType: string) {
  return {
    routeKey,
    eventType,
    extendedRequestId: requestId,
    requestTime: commonLogTime(time),
    messageDirection: 'IN',
    stage: model.stage,
    connectedAt: peer.connectedAt,
    requestTimeEpoch: time,
    identity: peer.identity,
    requestId,
    domainName: domainName(model),
    connectionId: peer.connectionId,
    apiId: model.apiId,
  };
}

/** The query maps are absent when the client sent no query. */
export function connectEvent(occasion: Occasion, headers: EventHeaders, query: Query): string {
  return JSON.stringify({
    headers: headers.headers,
    multiValueHeaders: headers.multiValueHeaders,
    ...(query.single && { queryStringParameters: query.single }),
    ...(query.multi && { multiValueQueryStringParameters: query.multi }),
    requestContext: context(occasion, '$connect', 'CONNECT'),
    isBase64Encoded: false,
  });
}

export function messageEvent(occasion: Occasion, routeKey: string, body: string): string {
  const requestContext = { ...context(occasion, routeKey, 'MESSAGE'), messageId: newId() };
  return JSON.stringify({ requestContext, body, isBase64Encoded: false });
}

export interface Ending {
  /** The code of RFC 6455, 7.4, of the client or of the gateway. */
  readonly code: number;
  readonly reason: string;
}

export function disconnectEvent(occasion: Occasion, { code, reason }: Ending): string {
  const host = domainName(occasion.model);
  return JSON.stringify({
    headers: { Host: host, 'x-api-key': '', 'X-Forwarded-For': '', 'x-restapi': '' },
    multiValueHeaders: {
      Host: [host],
      'x-api-key': [''],
      'X-Forwarded-For': [''],
      'x-restapi': [''],
    },
    requestContext: {
      ...context(occasion, '$disconnect', 'DISCONNECT'),
      disconnectStatusCode: code,
      disconnectReason: reason,
    },
    isBase64Encoded: false,
  });
}

/** The headers of a handshake as functions receive them: with the host of AWS, and TLS. */
export function handshakeHeaders(
  model: WebSocketModel,
  fields: Fields,
  sourceIp: string,
  trace: string,
): EventHeaders {
  const forwarded = headerValue(fields, 'x-forwarded-for');
  const own = new Map([
    ['host', domainName(model)],
    ['x-amzn-trace-id', trace],
    ['x-forwarded-for', forwarded ? `${forwarded}, ${sourceIp}` : sourceIp],
    ['x-forwarded-port', '443'],
    ['x-forwarded-proto', 'https'],
  ]);
  return eventHeaders(fields, own);
}
