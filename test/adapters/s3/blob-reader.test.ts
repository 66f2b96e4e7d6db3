import { S3Client } from '@aws-sdk/client-s3';
import { S3BlobReader } from '../../../adapters/s3/blob-reader';
import { type ScriptedResponse, startScriptedServer } from '../../support/scripted-server';

/** What comes of a call against the script. */
async function against<T>(
  script: readonly ScriptedResponse[],
  call: (reader: S3BlobReader) => Promise<T>,
) {
  const server = await startScriptedServer(script);
  const client = new S3Client({
    ...{ endpoint: server.endpoint, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 },
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  try {
    return await call(new S3BlobReader(client, 'content')).then(
      (output) => ({ output }),
      (error) => ({ status: error.$metadata?.httpStatusCode }),
    );
  } finally {
    client.destroy();
    await server.stop();
  }
}

test.each([
  ['<IsTruncated>true</IsTruncated>', true],
  ['<IsTruncated>false</IsTruncated>', false],
  ['', false],
])('a list with %j has more: %j', async (truncated, more) => {
  const body = `<ListBucketResult>${truncated}</ListBucketResult>`;
  const listed = await against([{ status: 200, body }], (reader) => reader.list('a'));
  expect(listed).toEqual({ output: { items: [], more } });
});

test.each<[string, ScriptedResponse, object]>([
  ['a blob that is missing', { status: 404 }, { output: undefined }],
  ['a missing grant', { status: 403 }, { status: 403 }],
  ['a connection that breaks', 'reset', { status: undefined }],
])('head of %s ends as expected', async (_, response, outcome) => {
  expect(await against([response], (reader) => reader.head('a'))).toEqual(outcome);
});

test('head returns the properties of the blob, and what S3 leaves out as nothing', async () => {
  const headers = {
    ...{ 'content-length': '5', etag: '"abc"', 'content-type': 'text/plain' },
    ...{ 'cache-control': 'no-store', 'content-disposition': 'inline', 'x-amz-meta-a': 'b' },
    ...{ 'content-encoding': 'gzip', 'content-language': 'de', 'x-amz-checksum-sha256': 'c3Vt' },
    'last-modified': 'Sun, 22 Nov 2026 10:00:00 GMT',
  };
  expect(await against([{ status: 200, headers }], (reader) => reader.head('a'))).toEqual({
    output: {
      ...{ size: 5, etag: 'abc', contentType: 'text/plain', metadata: { a: 'b' } },
      headers: {
        ...{ 'cache-control': 'no-store', 'content-disposition': 'inline' },
        ...{ 'content-encoding': 'gzip', 'content-language': 'de' },
      },
      ...{ checksumSha256: 'c3Vt', lastModified: '2026-11-22T10:00:00.000Z' },
    },
  });
  const bare = { 'content-length': '0', 'x-amz-checksum-sha256': 'c3Vt-2' };
  const { output } = (await against([{ status: 200, headers: bare }], (reader) =>
    reader.head('a'),
  )) as { output: object };
  expect(output).toEqual({
    ...{ size: 0, etag: '', headers: {}, metadata: {} },
    lastModified: '1970-01-01T00:00:00.000Z',
  });
});

test('list decodes keys only when S3 confirms that it encoded them', async () => {
  const keys = (encoding: string) => ({
    status: 200,
    body: `<ListBucketResult>${encoding}<IsTruncated>false</IsTruncated>
      <Contents><Key>a+b%2B%EF%BF%BF</Key><Size>5</Size></Contents></ListBucketResult>`,
  });
  const script = [keys('<EncodingType>url</EncodingType>'), keys('')];
  const server = await startScriptedServer(script);
  const client = new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    forcePathStyle: true,
  });
  try {
    const reader = new S3BlobReader(client, 'content');
    const [encoded] = (await reader.list('a')).items;
    const [plain] = (await reader.list('a')).items;

    expect(encoded?.blob).toBe('a b+\uFFFF');
    expect(plain?.blob).toBe('a+b%2B%EF%BF%BF');
    expect(server.received[0]?.path).toContain('encoding-type=url');
  } finally {
    client.destroy();
    await server.stop();
  }
});
