// The options of the client, in a project that tells absent fields from `undefined`
// (exactOptionalPropertyTypes). test/package/package.test.ts compiles it.
import type {
  CommitOptions,
  ConsumerOptions,
  DownloadOptions,
  FollowOptions,
  GetOptions,
  LinkOptions,
  ListOptions,
  MirrorOptions,
  NewContent,
  PutOptions,
  RestoreOptions,
  SignedUrlOptions,
  StowageClientOptions,
  SubscriptionOptions,
  UploadOptions,
} from 'stowage/client';

type All = [
  CommitOptions,
  ConsumerOptions,
  DownloadOptions,
  FollowOptions,
  GetOptions,
  LinkOptions,
  ListOptions,
  MirrorOptions,
  NewContent,
  PutOptions,
  RestoreOptions,
  SignedUrlOptions,
  StowageClientOptions,
  SubscriptionOptions,
  UploadOptions,
];

/** The optional fields of T that may be absent and not `undefined`. */
type Refusing<T> = {
  [K in keyof T]-?: object extends Pick<T, K>
    ? undefined extends Required<T>[K]
      ? never
      : K
    : never;
}[keyof T];

type RefusingAll<T extends readonly unknown[]> = { [I in keyof T]: Refusing<T[I]> }[number];

/** None: an array of any other type is not one of `never`. */
export const refusing: never[] = [] as RefusingAll<All>[];
