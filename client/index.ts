/** The exports of the client: docs/client.md. */

export type { CreatedLink, Link, LinkPage, Permission, TemporaryKey } from './access';
export type { Bucket, BucketRequests, LifecycleRule } from './buckets';
export type {
  Change,
  CursorEvent,
  DeleteChange,
  EndedEvent,
  PutChange,
  ResetEvent,
  ResetReason,
  StatusEvent,
  SubscriptionEvent,
} from './channel/events';
export type { FollowOptions } from './channel/log-position';
export type {
  BucketProgress,
  FollowedBuckets,
  Subscription,
  SubscriptionOptions,
} from './channel/subscription';
export type { OpenWebSocket, WebSocketEvent, WebSocketLike } from './channel/web-socket';
export { type ServiceRequests, StowageClient } from './client';
export type {
  ChangeConditions,
  ChangedKey,
  Commit,
  CommitChange,
  CommitChanges,
  CommitOptions,
  ContentChange,
  CopyObjectChange,
  CopySource,
  DeleteObjectChange,
  MoveObjectChange,
  MoveOptions,
  NewContent,
  PatchObjectChange,
  PutObjectChange,
  PutUploadChange,
  RemoveOptions,
} from './commits';
export type {
  Consumer,
  ConsumerOptions,
  ConsumerPage,
  ConsumerRequests,
  ListConsumersOptions,
  StoredConsumer,
} from './consumers';
export { DigestMismatch, type ErrorCode, type ErrorFields, StowageError } from './errors';
export type { Fetch } from './http';
export type { Invoke } from './invocation';
export type { LinkOptions, LinkRequests, ListLinksOptions } from './links';
export type { MirrorEvent, MirrorOptions, MirrorReset, MirrorSnapshot } from './mirror';
export type {
  ByteRange,
  ContentOptions,
  DeleteOptions,
  DescribeOptions,
  GetOptions,
  InvokingClientOptions,
  ListOptions,
  ObjectsOptions,
  PutOptions,
  RequestOptions,
  RestoreOptions,
  SignedUrlOptions,
  StowageClientOptions,
  VersionsOptions,
  WriteOptions,
} from './options';
export type {
  CommitRange,
  DeletedObject,
  ListPage,
  LogDigest,
  ObjectDescriptor,
  ObjectVersion,
  RestoredKey,
  RestoreResult,
  SignedUrl,
  UnrestoredKey,
  UploadState,
  VersionPage,
} from './resources';
export type { DownloadOptions, DownloadTarget } from './transfer/download';
export type { LocalFile, Path } from './transfer/local-files';
export type { AbortedUpload } from './transfer/multipart';
export {
  fileResume,
  type ResumeStore,
  type SavedUpload,
  storageResume,
} from './transfer/saved-upload';
export type { UploadSource } from './transfer/source';
export type { UploadedObject, UploadOptions } from './transfer/upload';
