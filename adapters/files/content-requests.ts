/** Answers the requests of signed URLs, in the terms of S3 that clients know. */
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ServiceError } from '../../core/errors';
import { CONTENT_HEADERS } from '../../core/http/content-headers';
import { parseRange } from '../../core/http/ranges';
import type { UploadContent } from '../../core/store/blobs';
import type { Clock } from '../../core/system';
import type { FileBlobs } from './blobs';
import type { ContentFolder } from './content-folder';
import type { ContentSigner, SignedRequest } from './signer';

export interface ContentRequest {
  readonly method: string;
  /** The value of the parameter `signed`. */
  readonly signed: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Readable;
}

export interface ContentResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Readable | string;
  /**
   * The blob that this request or an earlier one has stored: its upload is to be committed before
   * the response. The process may have ended between the two at the earlier one.
   */
  readonly stored?: string;
}

interface Deps {
  readonly blobs: FileBlobs;
  readonly folder: ContentFolder;
  readonly signer: ContentSigner;
  readonly clock: Pick<Clock, 'now'>;
}

const METADATA = 'x-amz-meta-';

/** Bytes of the XML that completes an upload of 10,000 parts, with room. */
const MAX_COMPLETION = 2 * 1024 * 1024;

/** The names of the response headers that a signed GET may set. */
const RESPONSE_HEADERS = {
  contentDisposition: 'content-disposition',
  contentType: 'content-type',
  cacheControl: 'cache-control',
  contentEncoding: 'content-encoding',
  contentLanguage: 'content-language',
} as const;

/**
 * Answers a request. Every refusal has a code of S3:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
 */
export async function answerContent(deps: Deps, request: ContentRequest): Promise<ContentResponse> {
  const { method, headers } = request;
  const signed = deps.signer.verify(request.signed);
  const isAllowed = signed?.method === method || (signed?.method === 'GET' && method === 'HEAD');
  if (!signed || !isAllowed || !hasSigned(signed, headers)) {
    return refusal(403, 'SignatureDoesNotMatch');
  }
  if (deps.clock.now() >= signed.expiresAt || hasUnsigned(signed, headers)) {
    return refusal(403, 'AccessDenied');
  }
  switch (signed.method) {
    case 'GET':
      return read(deps, signed, request);
    case 'PUT':
      return signed.part === undefined
        ? write(deps, signed, request)
        : writePart(deps, signed, signed.part, request);
    case 'POST':
      return complete(deps, signed, request);
    case 'DELETE':
      return abort(deps, signed);
  }
}

function hasSigned(signed: SignedRequest, sent: ContentRequest['headers']): boolean {
  return Object.entries(signed.headers).every(([name, value]) => sent[name] === value);
}

/** Reports whether there is a header that S3 takes only when it was signed. */
function hasUnsigned({ headers }: SignedRequest, sent: ContentRequest['headers']): boolean {
  return Object.keys(sent).some((name) => name.startsWith('x-amz-') && !(name in headers));
}

async function read(
  { blobs }: Deps,
  { blob, response = {} }: SignedRequest,
  { method, headers }: ContentRequest,
): Promise<ContentResponse> {
  const found = await blobs.head(blob);
  if (found === undefined) return refusal(404, 'NoSuchKey');
  const etag = `"${found.etag}"`;
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, range } = headers;
  if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== etag) {
    return refusal(412, 'PreconditionFailed');
  }
  if (ifNoneMatch === etag) return { status: 304, headers: { etag } };
  let part: ReturnType<typeof parseRange>;
  try {
    part = parseRange(range, found.size);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return refusal(416, 'InvalidRange', { 'content-range': `bytes */${found.size}` });
  }
  const length = part ? part.end - part.start + 1 : found.size;
  const overrides = Object.entries(RESPONSE_HEADERS).flatMap(([option, name]) => {
    const value = response[option as keyof typeof RESPONSE_HEADERS];
    return value === undefined ? [] : [[name, value] as const];
  });
  const shown = {
    ...found.headers,
    'content-type': found.contentType ?? 'binary/octet-stream',
    ...Object.fromEntries(overrides),
    etag,
    'last-modified': new Date(found.lastModified).toUTCString(),
    'accept-ranges': 'bytes',
    'content-length': String(length),
    ...Object.fromEntries(
      Object.entries(found.metadata).map(([name, value]) => [METADATA + name, value]),
    ),
    ...(part && { 'content-range': `bytes ${part.start}-${part.end}/${found.size}` }),
  };
  const status = part ? 206 : 200;
  if (method === 'HEAD' || length === 0) return { status, headers: shown };
  return { status, headers: shown, body: await blobs.get(blob, part) };
}

async function write(
  { blobs, folder }: Deps,
  { blob }: SignedRequest,
  { headers, body }: ContentRequest,
): Promise<ContentResponse> {
  const length = lengthOf(headers);
  if (length === undefined) return refusal(411, 'MissingContentLength');
  if ((await blobs.head(blob)) !== undefined) return alreadyStored(blob);
  const checksum = headers['x-amz-checksum-sha256'];
  const received = await folder.receive(body, { length, sha256: checksum !== undefined });
  if (received.sha256 !== checksum) {
    await folder.remove(received.file === undefined ? [] : [received.file]);
    return refusal(400, 'BadDigest');
  }
  const isNew = await blobs.save(blob, received, contentOf(headers));
  if (!isNew) return alreadyStored(blob);
  return { status: 200, headers: { etag: `"${received.md5}"` }, stored: blob };
}

function alreadyStored(blob: string): ContentResponse {
  return { ...refusal(412, 'PreconditionFailed'), stored: blob };
}

async function writePart(
  { blobs, folder }: Deps,
  { blob, multipartId = '' }: SignedRequest,
  number: number,
  { headers, body }: ContentRequest,
): Promise<ContentResponse> {
  const upload = { blob, multipartId };
  if (blobs.parts(upload) === undefined) return refusal(404, 'NoSuchUpload');
  const length = lengthOf(headers) ?? 0;
  const received = await folder.receive(body, { length, isPart: true });
  const isSaved = await blobs.savePart(upload, number, received);
  if (!isSaved) return refusal(404, 'NoSuchUpload');
  return { status: 200, headers: { etag: `"${received.md5}"` } };
}

async function complete(
  { blobs }: Deps,
  { blob, multipartId = '' }: SignedRequest,
  { headers, body }: ContentRequest,
): Promise<ContentResponse> {
  if ((lengthOf(headers) ?? Number.POSITIVE_INFINITY) > MAX_COMPLETION) {
    return refusal(400, 'MaxMessageLengthExceeded');
  }
  const { result, etag } = await blobs.join({ blob, multipartId }, partsIn(await text(body)));
  switch (result) {
    case 'missing':
      return refusal(404, 'NoSuchUpload');
    case 'exists':
      return alreadyStored(blob);
    case 'invalid':
      return refusal(400, 'InvalidPart');
    case 'joined':
      return {
        ...xml(
          200,
          `<CompleteMultipartUploadResult><ETag>"${etag}"</ETag></CompleteMultipartUploadResult>`,
        ),
        stored: blob,
      };
  }
}

async function abort(
  { blobs }: Deps,
  { blob, multipartId = '' }: SignedRequest,
): Promise<ContentResponse> {
  if (blobs.parts({ blob, multipartId }) === undefined) return refusal(404, 'NoSuchUpload');
  await blobs.abortMultipart(blob, multipartId);
  return { status: 204, headers: {} };
}

/** The parts that the XML of a completion names. */
function partsIn(
  completion: string,
): readonly { readonly number: number; readonly etag: string }[] {
  // By `split`: a pattern over the whole text takes the square of its length.
  return completion
    .split('<Part>')
    .slice(1)
    .map((text) => text.split('</Part>', 1)[0] ?? '')
    .map((part) => ({
      number: Number(/<PartNumber>(\d{1,5})<\/PartNumber>/.exec(part)?.[1]),
      etag: /<ETag>(?:"|&quot;)?([0-9a-f]*)/.exec(part)?.[1] ?? '',
    }));
}

function contentOf(headers: ContentRequest['headers']): UploadContent {
  const sent = Object.entries(headers).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return {
    contentType: headers['content-type'],
    headers: Object.fromEntries(
      sent.filter(([name]) => CONTENT_HEADERS.some((known) => known === name)),
    ),
    metadata: Object.fromEntries(
      sent.flatMap(([name, value]) =>
        name.startsWith(METADATA) ? [[name.slice(METADATA.length), value]] : [],
      ),
    ),
  };
}

function lengthOf(headers: ContentRequest['headers']): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

function refusal(
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): ContentResponse {
  const response = xml(status, `<Error><Code>${code}</Code></Error>`);
  return { ...response, headers: { ...response.headers, ...headers } };
}

function xml(status: number, content: string): ContentResponse {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n${content}`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}
