import { S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { S3Presigner } from '../../../../lambdas/shared/s3/presigner';

const NOW = Date.parse('2026-01-01T00:00:00.750Z');

beforeEach(() => {
  jest.useFakeTimers({ now: NOW });
});
afterEach(() => {
  jest.useRealTimers();
});

function clientWith(credentials: { sessionToken?: string } = {}): S3Client {
  return new S3Client({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', ...credentials },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

function queryOf(url: string): Record<string, string> {
  return Object.fromEntries(new URL(url).searchParams);
}

test('a signed PUT signs each required header as a header', async () => {
  const presigner = new S3Presigner(clientWith(), 'content');

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
  const presigner = new S3Presigner(clientWith(), 'content');

  const { url, headers } = await presigner.presignPut('uploads/a', { expiresIn: 300 });

  expect(queryOf(url)['X-Amz-SignedHeaders']).toBe('host;if-none-match');
  expect(headers).toEqual({ 'if-none-match': '*' });
});

test('a content length of 0 is signed', async () => {
  const presigner = new S3Presigner(clientWith(), 'content');

  const { url, headers } = await presigner.presignPut('a', { expiresIn: 300, contentLength: 0 });

  expect(queryOf(url)['X-Amz-SignedHeaders']).toBe('content-length;host;if-none-match');
  expect(headers).toMatchObject({ 'content-length': '0' });
});

test('expiresAt counts from the second of the signature', async () => {
  const presigner = new S3Presigner(clientWith(), 'content');

  const { expiresAt } = await presigner.presignGet('a', { expiresIn: 300 });

  expect(expiresAt).toBe('2026-01-01T00:05:00.000Z');
});

test('expiresAt of no URL is later than the end of the credentials that signed it', async () => {
  const end = Date.parse('2026-01-01T00:02:00.000Z');
  const presigner = new S3Presigner(clientWith({ sessionToken: 't+/=' }), 'content', end);

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

test.each(['plain', 'a b/ä+%/😀', "x~!*'()"])(
  'the signed URL of a part of %j equals that of the SDK',
  async (blob) => {
    const client = clientWith({ sessionToken: 't+/=' });
    const presigner = new S3Presigner(client, 'content');
    const command = new UploadPartCommand({
      Bucket: 'content',
      Key: blob,
      UploadId: 'up.load_id~',
      PartNumber: 4711,
      ContentLength: 12_345,
    });

    const part = { multipartId: 'up.load_id~', number: 4711, length: 12_345, expiresIn: 3600 };
    const { url, headers } = await presigner.presignPart(blob, part);

    const theirs = await getSignedUrl(client, command, { expiresIn: 3600 });
    expect(queryOf(url)).toEqual(queryOf(theirs));
    expect(queryOf(url)['X-Amz-SignedHeaders']).toBe('content-length;host');
    expect(headers).toEqual({ 'content-length': '12345' });
    expect(new URL(url).href.split('?')[0]).toBe(new URL(theirs).href.split('?')[0]);
  },
);
