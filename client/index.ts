/** The public face of the client: docs/client.md. */
export {
  type InvokingClientOptions,
  type ListOptions,
  type PutOptions,
  type SignedUrlOptions,
  StowageClient,
  type StowageClientOptions,
} from './client';
export { type ErrorCode, type ErrorFields, StowageError } from './errors';
export type { Fetch } from './http';
export type { Invoke } from './invocation';
export type { MirrorEvent, MirrorOptions, MirrorReset, MirrorSnapshot } from './mirror';
export type { DeletedObject, ListPage, ObjectDescriptor, SignedUrl } from './resources';
export type {
  Change,
  DeleteChange,
  EndedEvent,
  PositionEvent,
  PutChange,
  ResetEvent,
  ResetReason,
  StatusEvent,
  SyncEvent,
} from './sync/events';
export type { BucketProgress, ChangeFeed, Follow, SyncOptions } from './sync/feed';
export type { FollowOptions } from './sync/follower';
export type { OpenWebSocket, WebSocketEvent, WebSocketLike } from './sync/web-socket';
