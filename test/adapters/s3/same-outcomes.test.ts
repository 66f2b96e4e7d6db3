/**
 * Responses of S3 as the functions and as the SDK see them: each call must end in the same way
 * after as many attempts.
 */

import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { parseEndpoint } from '../../../adapters/aws/environment';
import { S3BlobReader } from '../../../adapters/s3/blob-reader';
import { S3Blobs } from '../../../adapters/s3/blobs';
import { connectS3 } from '../../../adapters/s3/s3-connection';
import { type ScriptedResponse, startScriptedServer } from '../../support/scripted-server';

const KEYS = { accessKeyId: 'test', secretAccessKey: 'test', sessionToken: 'token' };
const BYTES = Buffer.from('hello');
const SHA256 = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=';

/** The calls, without the SDK and by it. Both return what the functions read of the response. */
const CALLS = {
  put: {
    own: (blobs: S3Blobs) =>
      blobs.put('a b', BYTES, {
        contentType: 'text/plain',
        headers: { 'cache-control': 'no-store', 'content-language': 'de, en' },
        metadata: { Colour: 'blue' },
        checksumSha256: SHA256,
      }),
    sdk: async (s3: S3Client) => {
      const { ETag = '' } = await s3.send(
        new PutObjectCommand({
          Bucket: 'content',
          Key: 'a b',
          Body: BYTES,
          ContentLength: BYTES.length,
          ContentType: 'text/plain',
          CacheControl: 'no-store',
          ContentLanguage: 'de, en',
          Metadata: { Colour: 'blue' },
          ChecksumSHA256: SHA256,
          IfNoneMatch: '*',
        }),
      );
      return { etag: ETag.replaceAll('"', '') };
    },
  },
  get: {
    own: async (blobs: S3Blobs) => bytesOf(await blobs.get('a b', { start: 1, end: 3 })),
    sdk: async (s3: S3Client) => {
      const input = { Bucket: 'content', Key: 'a b', Range: 'bytes=1-3' };
      const { Body } = await s3.send(new GetObjectCommand(input)).catch(undefinedIfMissing);
      return bytesOf(Body as Readable | undefined);
    },
  },
  head: {
    own: (blobs: S3Blobs) => blobs.head('a b'),
    sdk: (s3: S3Client) => new S3BlobReader(s3, 'content').head('a b'),
  },
  remove: {
    own: (blobs: S3Blobs) => blobs.remove(['a b', '<&>']),
    sdk: async (s3: S3Client) => {
      const Delete = { Objects: [{ Key: 'a b' }, { Key: '<&>' }], Quiet: true };
      await s3.send(new DeleteObjectsCommand({ Bucket: 'content', Delete }));
    },
  },
  createMultipart: {
    own: (blobs: S3Blobs) =>
      blobs.createMultipart('a b', {
        contentType: 'text/plain',
        headers: { 'cache-control': 'no-store', 'content-language': 'de' },
        metadata: { camera: 'x 100' },
      }),
    sdk: async (s3: S3Client) => {
      const input = {
        Bucket: 'content',
        Key: 'a b',
        ContentType: 'text/plain',
        CacheControl: 'no-store',
        ContentLanguage: 'de',
        Metadata: { camera: 'x 100' },
      };
      return (await s3.send(new CreateMultipartUploadCommand(input))).UploadId;
    },
  },
} as const;

async function bytesOf(body: Readable | undefined): Promise<string | undefined> {
  return body && (await buffer(body)).toString();
}

function undefinedIfMissing(error: unknown): { Body?: undefined } {
  if (error instanceof Error && error.name === 'NoSuchKey') return {};
  throw error;
}

async function outcomes(name: keyof typeof CALLS, script: readonly ScriptedResponse[]) {
  const of = async (call: (endpoint: string) => Promise<unknown>) => {
    const server = await startScriptedServer(script);
    try {
      const outcome = await call(server.endpoint).then(
        (output) => ({ output }),
        (error) => ({ name: error.name, status: error.$metadata?.httpStatusCode }),
      );
      const requests = server.received.map(({ method, path, headers }) => ({
        method,
        path: path.replace(/[?&]x-id=[A-Za-z]+$/, ''),
        headers: Object.fromEntries(COMPARED.map((header) => [header, headers[header]])),
      }));
      return { outcome, requests };
    } finally {
      await server.stop();
    }
  };
  const region = 'us-east-1';
  const call = CALLS[name];
  const own = of((endpoint) => {
    const connection = { endpoint: parseEndpoint(endpoint), region, credentials: () => KEYS };
    return call.own(new S3Blobs(connectS3(connection), 'content'));
  });
  const sdk = of(async (endpoint) => {
    const s3 = new S3Client({
      endpoint,
      region,
      credentials: KEYS,
      forcePathStyle: true,
      maxAttempts: 3,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    try {
      return await call.sdk(s3);
    } finally {
      s3.destroy();
    }
  });
  return { own: await own, sdk: await sdk };
}

/** What S3 reads of requests, except for the signature and how the bytes are checked. */
const COMPARED = [
  'cache-control',
  'content-language',
  'content-type',
  'if-none-match',
  'range',
  'x-amz-checksum-mode',
  'x-amz-checksum-sha256',
  'x-amz-meta-colour',
  'x-amz-security-token',
];

const ok: ScriptedResponse = { status: 200, headers: { etag: '"abc"' } };
const error = (status: number, code: string): ScriptedResponse => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>m</Message></Error>`,
});
const PROPERTIES = {
  'content-length': '5',
  'content-type': 'text/plain',
  'content-language': 'de, en',
  etag: '"abc"',
  'last-modified': 'Sun, 22 Nov 2026 10:00:00 GMT',
  'x-amz-meta-colour': 'blue',
};
const started: ScriptedResponse = {
  status: 200,
  body: '<InitiateMultipartUploadResult><UploadId>a&amp;b</UploadId></InitiateMultipartUploadResult>',
};
const deleted: ScriptedResponse = { status: 200, body: '<DeleteResult></DeleteResult>' };

test.each<[keyof typeof CALLS, string, readonly ScriptedResponse[], number]>([
  ['put', 'success', [ok], 1],
  ['put', 'status 500 twice', [error(500, 'InternalError'), error(500, 'InternalError'), ok], 3],
  ['put', 'status 503', [error(503, 'SlowDown')], 3],
  ['put', 'a connection that breaks once', ['reset', ok], 2],
  ['put', 'another digest', [error(400, 'BadDigest')], 1],
  ['put', 'a missing grant', [error(403, 'AccessDenied')], 1],
  ['put', 'an attempt that S3 gave up', [error(400, 'RequestTimeout'), ok], 2],
  ['get', 'success', [{ status: 206, body: 'ell' }], 1],
  ['get', 'no such key', [error(404, 'NoSuchKey')], 1],
  ['get', 'no such bucket', [error(404, 'NoSuchBucket')], 1],
  ['get', 'a range beyond the end', [error(416, 'InvalidRange')], 1],
  ['get', 'an archived object', [error(403, 'InvalidObjectState')], 1],
  ['get', 'status 500 once', [error(500, 'InternalError'), { status: 206, body: 'ell' }], 2],
  ['head', 'success', [{ status: 200, headers: PROPERTIES }], 1],
  [
    'head',
    'a checksum',
    [{ status: 200, headers: { ...PROPERTIES, 'x-amz-checksum-sha256': SHA256 } }],
    1,
  ],
  [
    'head',
    'a checksum of parts',
    [{ status: 200, headers: { ...PROPERTIES, 'x-amz-checksum-sha256': `${SHA256}-2` } }],
    1,
  ],
  ['head', 'no such key', [{ status: 404 }], 1],
  ['head', 'status 503 once', [{ status: 503 }, { status: 200, headers: PROPERTIES }], 2],
  ['remove', 'success', [deleted], 1],
  ['remove', 'status 503 once', [error(503, 'SlowDown'), deleted], 2],
  ['remove', 'a missing grant', [error(403, 'AccessDenied')], 1],
  ['createMultipart', 'success', [started], 1],
  ['createMultipart', 'a connection that breaks once', ['reset', started], 2],
  ['createMultipart', 'no such bucket', [error(404, 'NoSuchBucket')], 1],
])(
  '%s has the same outcome as by the SDK after %s',
  async (name, _, script, attempts) => {
    const { own, sdk } = await outcomes(name, script);

    expect(own).toEqual(sdk);
    expect(own.requests).toHaveLength(attempts);
  },
  20_000,
);
