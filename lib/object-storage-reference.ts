import type { IConstruct } from 'constructs';

/** What the clients of a service need to know of it. */
export interface ObjectStorageAttributes {
  /** The output `BaseUrl`: `https://…/`. */
  readonly baseUrl: string;

  /** The output `SyncUrl`: `wss://…`. */
  readonly syncUrl: string;
}

/** A service, of this app or of another: `ObjectStorage.fromAttributes`. */
export interface IObjectStorage extends IConstruct, ObjectStorageAttributes {}
