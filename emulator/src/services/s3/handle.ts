/**
 * Handles one request: parses it, authenticates the caller, finds the operation and the bucket,
 * authorises and runs the operation. The only place that turns errors into responses.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { randomId } from '../../values/random-ids';
import { authorize, bucketArn, objectArn } from './calls/authorize';
import type { Bucket, Call, Reply, Service, ServiceCall } from './calls/call';
import { corsHeaders, preflight } from './calls/cors';
import { OPERATIONS, type OperationName, operationOf } from './dispatch';
import { createBucket, getBucketLocation, headBucket, listObjectsV2 } from './operations/buckets';
import { completeMultipartUpload } from './operations/complete-multipart-upload';
import { copyObject, uploadPartCopy } from './operations/copy';
import { deleteObjects } from './operations/delete-objects';
import { deleteObject, getObject, putObject } from './operations/objects';
import { screenHeaders } from './operations/properties';
import {
  abortMultipartUpload,
  createMultipartUpload,
  listMultipartUploads,
  listParts,
  uploadPart,
} from './operations/uploads';
import { S3Error } from './protocol/errors';
import { readRequest, type S3Request } from './protocol/request';
import { xmlError } from './protocol/xml';
import { type Authenticate, effectiveHeaders } from './signature/authenticate';

type Run = (call: Call) => Reply | Promise<Reply>;

const RUN: Readonly<Record<Exclude<OperationName, 'CreateBucket'>, Run>> = {
  PutObject: putObject,
  CopyObject: copyObject,
  GetObject: getObject,
  HeadObject: getObject,
  DeleteObject: deleteObject,
  CreateMultipartUpload: createMultipartUpload,
  UploadPart: uploadPart,
  UploadPartCopy: uploadPartCopy,
  CompleteMultipartUpload: completeMultipartUpload,
  AbortMultipartUpload: abortMultipartUpload,
  ListParts: listParts,
  DeleteObjects: deleteObjects,
  ListObjectsV2: listObjectsV2,
  ListMultipartUploads: listMultipartUploads,
  HeadBucket: headBucket,
  GetBucketLocation: getBucketLocation,
};

export interface Handling {
  readonly service: Service;
  readonly authenticate: Authenticate;
  /** Called with errors of the emulator, which clients see as InternalError. */
  readonly report: (error: unknown) => void;
}

/** Responds to one request. Never rejects. */
export async function handle(
  handling: Handling,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const requestId = randomId(8, 'hex').toUpperCase();
  response.setHeader('x-amz-request-id', requestId);
  response.setHeader('x-amz-id-2', randomId(48, 'base64'));
  response.setHeader('server', 'AmazonS3');
  let request: S3Request | undefined;
  try {
    request = readRequest(message);
    await send(response, await perform(handling, request, response));
  } catch (error) {
    // The client has disconnected, or has already received a part of the response.
    if (response.headersSent || response.destroyed) {
      response.destroy();
      if (!(error instanceof S3Error) && !isDisconnect(error)) handling.report(error);
      return;
    }
    await send(response, errorReply(handling, error, request, requestId)).catch(handling.report);
  }
}

async function perform(
  { service, authenticate }: Handling,
  request: S3Request,
  response: ServerResponse,
): Promise<Reply> {
  const bucket = service.buckets.get(request.bucket);
  if (request.method === 'OPTIONS')
    return preflight(existing(bucket, request).options, request.headers);
  if (bucket !== undefined) addCors(response, bucket, request);
  const caller = authenticate(request);
  const name = operationOf(request);
  const headers = effectiveHeaders(request, caller);
  screenHeaders(headers);
  const call: ServiceCall = { service, request, caller, response, headers };
  if (name === 'CreateBucket') return createBucket(call);
  const found = existing(bucket, request);
  return run(name, { ...call, bucket: found, store: found.store, key: request.key });
}

function run(name: Exclude<OperationName, 'CreateBucket'>, call: Call): Reply | Promise<Reply> {
  const { action, on, ...operation } = OPERATIONS[name];
  const resource = on === 'object' ? objectArn(call) : bucketArn(call);
  const creates = 'creates' in operation ? operation.creates : undefined;
  if (action !== undefined) authorize(call, action, resource, creates);
  return RUN[name](call);
}

function existing(bucket: Bucket | undefined, request: S3Request): Bucket {
  if (bucket !== undefined) return bucket;
  throw new S3Error('NoSuchBucket', { details: { BucketName: request.bucket } });
}

/** Sets them on error responses too: without them a browser hides the response from the page. */
function addCors(response: ServerResponse, bucket: Bucket, request: S3Request): void {
  const headers = corsHeaders(bucket.options, request.method, request.headers);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function errorReply(
  { report }: Handling,
  error: unknown,
  request: S3Request | undefined,
  requestId: string,
): Reply {
  if (!(error instanceof S3Error)) report(error);
  const known = error instanceof S3Error ? error : new S3Error('InternalError');
  if (known.status === 304) return { status: 304, headers: known.headers };
  const body = xmlError({
    Code: known.code,
    Message: known.message,
    ...known.details,
    Resource: request?.canonicalPath,
    RequestId: requestId,
  });
  const headers = { 'content-type': 'application/xml', ...known.headers };
  return { status: known.status, headers, body: request?.method === 'HEAD' ? undefined : body };
}

async function send(response: ServerResponse, reply: Reply): Promise<void> {
  const { status = 200, headers = {}, body = '' } = reply;
  // A client that waits for 100 (Continue) and gets this response instead may still send its body:
  // only closing the connection is unambiguous (RFC 9110, 10.1.1).
  const { req } = response;
  if (req.headers.expect !== undefined && !req.complete) response.setHeader('connection', 'close');
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (body instanceof Readable) {
    await pipeline(body, response);
    return;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (status !== 204 && status !== 304 && !response.hasHeader('content-length')) {
    response.setHeader('content-length', bytes.length);
  }
  // Without an explicit writeHead, end() decodes Content-Disposition once more, as UTF-8, and
  // writes the low bytes: U+010A would become a line feed.
  response.writeHead(status);
  response.end(bytes);
}

function isDisconnect(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE';
}
