/**
 * The rows of the Subscriptions table. Bucket ids are 12 characters of base62, so the keys of the
 * different kinds of partitions cannot collide.
 */
import { createHash } from 'node:crypto';
import type { Connection, Subscriber, Subscription, Ticket } from '../../../../core/channel/ports';
import { fromItem, type Item, toItem } from './attributes';

/** Partitions over which a bucket's subscribers are spread; each accepts about 1000 writes/s. */
export const FOLLOWER_SHARDS = 4;

/**
 * API Gateway closes every connection after two hours (quotas of WebSocket APIs,
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html);
 * with some minutes more for clocks that differ.
 */
const LIFE_SECONDS = 2 * 3600 + 10 * 60;

/** The map `subscriptions` of a connection's row: by bucket name. */
export interface FollowedFields {
  readonly bucket_id: string;
  readonly prefix: string;
}

interface ConnectionFields {
  readonly connection_id: string;
  readonly key_id: string;
  readonly generation?: number;
  readonly connected_at: number;
  readonly scope?: { readonly bucket: string; readonly prefix: string };
  readonly subscriptions: Readonly<Record<string, FollowedFields>>;
}

interface FollowerFields {
  readonly connection_id: string;
  readonly prefix: string;
  readonly connected_at: number;
  readonly expires_at?: number;
}

interface TicketFields {
  readonly key_id: string;
  readonly generation?: number;
  readonly bucket: string;
  readonly prefix: string;
  readonly expires_at: number;
}

export const connectionKey = (id: string) => ({ shard: `connection#${id}`, connection_id: id });

/** The partition of the connections that an API key opened. */
export const keyShard = (keyId: string) => `key#${keyId}`;

export const keyIndexKey = (keyId: string, connectionId: string) => ({
  shard: keyShard(keyId),
  connection_id: connectionId,
});

export const ticketKey = (id: string) => ({ shard: `ticket#${id}`, connection_id: '-' });

/** The partitions of the subscribers of a bucket. */
export function followerShards(bucketId: string): string[] {
  return Array.from({ length: FOLLOWER_SHARDS }, (_, n) => `${bucketId}#${n}`);
}

export function followerKey(bucketId: string, connectionId: string) {
  const n = createHash('sha256').update(connectionId).digest().readUInt8(0) % FOLLOWER_SHARDS;
  return { shard: `${bucketId}#${n}`, connection_id: connectionId };
}

export function connectionItem(connection: Omit<Connection, 'subscriptions'>): Item {
  const { id, keyId, generation, connectedAt, scope } = connection;
  return toItem({
    ...connectionKey(id),
    key_id: keyId,
    generation,
    connected_at: connectedAt,
    scope: scope && { bucket: scope.bucket, prefix: scope.prefix },
    subscriptions: {},
    ttl: timeToLive(connectedAt),
  });
}

/** The connection of a row, even if it is being closed. */
export function connectionRecord(item: Item): Connection {
  const fields = fromItem<ConnectionFields>(item);
  const followed = Object.entries(fields.subscriptions).map(
    ([bucket, { bucket_id, prefix }]): [string, Subscription] => [
      bucket,
      { bucket, bucketId: bucket_id, prefix },
    ],
  );
  return {
    id: fields.connection_id,
    keyId: fields.key_id,
    ...(fields.generation !== undefined && { generation: fields.generation }),
    connectedAt: fields.connected_at,
    ...(fields.scope && { scope: fields.scope }),
    subscriptions: new Map(followed),
  };
}

/** The connection of a row; undefined if it is being closed. */
export function openConnection(item: Item): Connection | undefined {
  return item.closing === undefined ? connectionRecord(item) : undefined;
}

export function keyIndexItem({ id, keyId, connectedAt }: Omit<Connection, 'subscriptions'>): Item {
  return toItem({ ...keyIndexKey(keyId, id), ttl: timeToLive(connectedAt) });
}

export const followedFields = ({ bucketId, prefix }: Subscription) => ({
  bucket_id: bucketId,
  prefix,
});

export function followerItem(
  { id, connectedAt }: Connection,
  { bucket, bucketId, prefix }: Subscription,
  expiresAt: number | undefined,
): Item {
  return toItem({
    ...followerKey(bucketId, id),
    bucket,
    prefix,
    connected_at: connectedAt,
    expires_at: expiresAt,
    ttl: timeToLive(connectedAt),
  });
}

export function subscriber(item: Item): Subscriber {
  const { connection_id, prefix, connected_at, expires_at } = fromItem<FollowerFields>(item);
  return {
    connectionId: connection_id,
    prefix,
    connectedAt: connected_at,
    ...(expires_at !== undefined && { expiresAt: expires_at }),
  };
}

export function ticketItem(
  id: string,
  { keyId, generation, bucket, prefix, expiresAt }: Ticket,
): Item {
  return toItem({
    ...ticketKey(id),
    key_id: keyId,
    generation,
    bucket,
    prefix,
    expires_at: expiresAt,
    ttl: Math.ceil(expiresAt / 1000),
  });
}

export function ticketRecord(item: Item): Ticket {
  const { key_id, generation, bucket, prefix, expires_at } = fromItem<TicketFields>(item);
  return {
    keyId: key_id,
    ...(generation !== undefined && { generation }),
    bucket,
    prefix,
    expiresAt: expires_at,
  };
}

/** When the row may be removed, epoch seconds. `connectedAt`: epoch milliseconds. */
function timeToLive(connectedAt: number): number {
  return Math.ceil(connectedAt / 1000) + LIFE_SECONDS;
}
