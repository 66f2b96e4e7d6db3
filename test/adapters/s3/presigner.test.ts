import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  type ServiceInputTypes,
  type ServiceOutputTypes,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { S3Presigner } from '../../../adapters/s3/presigner';
import { createS3Client } from '../../../lambdas/runtime/aws-clients';

const NOW = Date.parse('2026-01-01T00:00:00.750Z');

beforeEach(() => {
  jest.useFakeTimers({ now: NOW });
});
afterEach(() => {
  jest.useRealTimers();
});

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };

function presignerWith(keys: { sessionToken?: string } = {}, credentialsEnd?: number): S3Presigner {
  const client = createS3Client({ region: 'eu-west-1', credentials: { ...KEYS, ...keys } });
  return new S3Presigner(client, 'content', credentialsEnd);
}

function queryOf(url: string): Record<string, string> {
  return Object.fromEntries(new URL(url).searchParams);
}

test('a signed PUT signs each required header as a header', async () => {
  const presigner = presignerWith();

  const { url, headers } = await presigner.presignPut('uploads/a b', {
    expiresIn: 300,
    contentType: 'text/plain',
    contentLength: 5,
    checksumSha256: 'c3Vt',
  });

  expect(new URL(url).host).toBe('content.s3.eu-west-1.amazonaws.com');
  expect(queryOf(url)).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
    'X-Amz-Credential': 'AKIDEXAMPLE/20260101/eu-west-1/s3/aws4_request',
    'X-Amz-Date': '20260101T000000Z',
    'X-Amz-Expires': '300',
    'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    'X-Amz-SignedHeaders': 'content-length;content-type;host;if-none-match;x-amz-checksum-sha256',
    'x-id': 'PutObject',
  });
  expect(Object.keys(headers).sort()).toEqual([
    'content-length',
    'content-type',
    'if-none-match',
    'x-amz-checksum-sha256',
  ]);
});

test('a signed PUT without required headers signs If-None-Match', async () => {
  const presigner = presignerWith();

  const { url, headers } = await presigner.presignPut('uploads/a', { expiresIn: 300 });

  expect(queryOf(url)['X-Amz-SignedHeaders']).toBe('host;if-none-match');
  expect(headers).toEqual({ 'if-none-match': '*' });
});

test('a content length of 0 is signed', async () => {
  const presigner = presignerWith();

  const { url, headers } = await presigner.presignPut('a', { expiresIn: 300, contentLength: 0 });

  expect(queryOf(url)['X-Amz-SignedHeaders']).toBe('content-length;host;if-none-match');
  expect(headers).toMatchObject({ 'content-length': '0' });
});

test('expiresAt counts from the second of the signature', async () => {
  const presigner = presignerWith();

  const { expiresAt } = await presigner.presignGet('a', { expiresIn: 300 });

  expect(expiresAt).toBe('2026-01-01T00:05:00.000Z');
});

test('expiresAt of no URL is later than the end of the credentials that signed it', async () => {
  const end = Date.parse('2026-01-01T00:02:00.000Z');
  const presigner = presignerWith({ sessionToken: 't+/=' }, end);

  const signed = [
    await presigner.presignGet('a', { expiresIn: 300 }),
    await presigner.presignPut('a', { expiresIn: 300 }),
    await presigner.presignPart('a', { multipartId: 'id', number: 1, length: 5, expiresIn: 300 }),
    await presigner.presignComplete('a', 'id', 300),
    await presigner.presignAbort('a', 'id', 300),
  ];
  const short = await presigner.presignGet('a', { expiresIn: 60 });

  for (const { url, expiresAt } of signed) {
    expect(expiresAt).toBe('2026-01-01T00:02:00.000Z');
    expect(queryOf(url)['X-Amz-Security-Token']).toBe('t+/=');
  }
  expect(short.expiresAt).toBe('2026-01-01T00:01:00.000Z');
});

test('expiresAt leaves a minute when the credentials have lasted longer than expected', async () => {
  const presigner = presignerWith({}, Date.parse('2025-12-31T00:00:00.000Z'));
  const { expiresAt } = await presigner.presignGet('a', { expiresIn: 300 });
  expect(expiresAt).toBe('2026-01-01T00:01:00.750Z');
});

test('the credentials of an environment are expected to last for twelve hours less a quarter', async () => {
  jest.useRealTimers();
  const { expiresAt } = await presignerWith().presignGet('a', { expiresIn: 7 * 86_400 });
  const began = Date.parse(expiresAt) - 11.75 * 3_600_000;
  expect(began).toBeLessThanOrEqual(Date.now());
  expect(began).toBeGreaterThanOrEqual(performance.timeOrigin - 1000);
});

interface Place {
  readonly region: string;
  readonly bucket: string;
  readonly endpoint?: string;
  readonly sessionToken?: string;
}

const PLACES: readonly Place[] = [
  { region: 'eu-west-1', bucket: 'content' },
  { region: 'us-east-1', bucket: 'content', sessionToken: 'IQoJb3JpZ2luX2VjEJr//+t+/=' },
  { region: 'cn-north-1', bucket: 'content' },
  { region: 'us-gov-west-1', bucket: 'content' },
  { region: 'eu-west-1', bucket: 'with.dots' },
  { region: 'eu-west-1', bucket: 'content', endpoint: 'http://127.0.0.1:4566' },
  { region: 'eu-west-1', bucket: 'content', endpoint: 'https://s3.example.com' },
];

describe.each(PLACES)('in $region, $bucket, $endpoint', ({ region, bucket, endpoint, ...keys }) => {
  const credentials = { ...KEYS, ...keys };
  const presigner = () =>
    new S3Presigner(createS3Client({ region, credentials, ...(endpoint && { endpoint }) }), bucket);

  /** The URL of the SDK, with the headers signed as headers. */
  async function byTheSdk<I extends ServiceInputTypes, O extends ServiceOutputTypes>(
    command: Parameters<typeof getSignedUrl<ServiceInputTypes, I, O>>[1],
    expiresIn: number,
    headers: readonly string[] = [],
  ): Promise<string> {
    const client = new S3Client({
      region,
      credentials,
      ...(endpoint && { endpoint, forcePathStyle: true }),
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    const signed = new Set(headers);
    const options = { expiresIn, signableHeaders: signed, unhoistableHeaders: signed };
    return getSignedUrl(client, command, options);
  }

  test.each(['plain', 'a b/ä+%/😀', "x~!*'()", 'a//b/./../c', '?#;=&,:@$', '\uFFFF"<>\\^`{|}'])(
    'each URL for %j equals that of the SDK',
    async (Key) => {
      const of = { Bucket: bucket, Key };
      const upload = { ...of, UploadId: 'up.load_id~+/=' };
      const multipartId = upload.UploadId;
      const disposition = 'attachment; filename="ä b.txt"; filename*=UTF-8\'\'%C3%A4.txt';
      const s3 = presigner();

      const pairs: readonly (readonly [{ readonly url: string }, string])[] = [
        [await s3.presignGet(Key, { expiresIn: 60 }), await byTheSdk(new GetObjectCommand(of), 60)],
        [
          await s3.presignGet(Key, {
            expiresIn: 3600,
            contentDisposition: disposition,
            cacheControl: 'private, max-age=60',
          }),
          await byTheSdk(
            new GetObjectCommand({
              ...of,
              ResponseContentDisposition: disposition,
              ResponseCacheControl: 'private, max-age=60',
            }),
            3600,
          ),
        ],
        [
          await s3.presignPut(Key, { expiresIn: 300 }),
          await byTheSdk(new PutObjectCommand({ ...of, IfNoneMatch: '*' }), 300, ['if-none-match']),
        ],
        [
          await s3.presignPut(Key, {
            expiresIn: 300,
            contentType: 'text/plain; charset="utf-8"',
            headers: { 'cache-control': 'max-age=60', 'content-disposition': 'inline' },
            metadata: { camera: 'x 100' },
            contentLength: 5,
            checksumSha256: 'a+/=',
          }),
          await byTheSdk(
            new PutObjectCommand({
              ...of,
              IfNoneMatch: '*',
              ContentType: 'text/plain; charset="utf-8"',
              CacheControl: 'max-age=60',
              ContentDisposition: 'inline',
              Metadata: { camera: 'x 100' },
              ContentLength: 5,
              ChecksumSHA256: 'a+/=',
            }),
            300,
            [
              ...['if-none-match', 'content-type', 'content-length', 'x-amz-checksum-sha256'],
              ...['cache-control', 'content-disposition', 'x-amz-meta-camera'],
            ],
          ),
        ],
        [
          await s3.presignPart(Key, { multipartId, number: 4711, length: 12_345, expiresIn: 3600 }),
          await byTheSdk(
            new UploadPartCommand({ ...upload, PartNumber: 4711, ContentLength: 12_345 }),
            3600,
            ['content-length'],
          ),
        ],
        [
          await s3.presignComplete(Key, multipartId, 300),
          await byTheSdk(new CompleteMultipartUploadCommand({ ...upload, IfNoneMatch: '*' }), 300, [
            'if-none-match',
          ]),
        ],
        [
          await s3.presignAbort(Key, multipartId, 300),
          await byTheSdk(new AbortMultipartUploadCommand(upload), 300),
        ],
      ];

      expect(pairs.map(([{ url }]) => url)).toEqual(pairs.map(([, url]) => url));
    },
  );
});
