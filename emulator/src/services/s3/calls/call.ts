/** The arguments and the results of an operation. */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Iam } from '../../../iam/iam';
import type { S3Request } from '../protocol/request';
import type { Caller } from '../signature/authenticate';
import type { BucketStore } from '../storage/store';
import type { BucketOptions } from './bucket-options';

export interface Bucket {
  readonly options: BucketOptions;
  readonly store: BucketStore;
}

export interface Service {
  readonly iam: Iam;
  readonly region: string;
  readonly buckets: Map<string, Bucket>;
  /** Adds a bucket that is not in the stack; it persists across restarts. */
  createBucket(name: string): void;
}

/** A call of an operation that needs no bucket. */
export interface ServiceCall {
  readonly service: Service;
  readonly request: S3Request;
  readonly caller: Caller;
  readonly response: ServerResponse;
  /** With the `x-amz-*` parameters of a presigned URL's query. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Call extends ServiceCall {
  readonly bucket: Bucket;
  readonly store: BucketStore;
  /** Empty for operations on a bucket. */
  readonly key: string;
}

export interface Reply {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | Readable;
}

/** A response with an XML document. */
export function xmlReply(body: string): Reply {
  return { headers: { 'content-type': 'application/xml' }, body };
}
