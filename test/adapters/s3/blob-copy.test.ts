/** Copies in parts, and the responses of S3 to copies that are rare. */
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { copyBlob } from '../../../adapters/s3/blob-copy';
import { S3Blobs } from '../../../adapters/s3/blobs';
import { allowAll } from '../../../emulator/src/iam/allow-all';
import { startS3 } from '../../../emulator/src/services/s3/s3';
import { createS3Client } from '../../../lambdas/runtime/aws-clients';
import { type ScriptedResponse, startScriptedServer } from '../../support/scripted-server';
import { temporaryFolder } from '../../support/temporary-folder';
import { watchCalls } from '../../support/watched-client';

const MIB = 1024 * 1024;
const CONTENT = { contentType: 'text/x-copy', headers: {}, metadata: { shape: 'round' } };
const KEYS = { accessKeyId: 'test', secretAccessKey: 'test' };

const clientOf = (endpoint: string, credentials = KEYS) =>
  createS3Client({ endpoint, region: 'us-east-1', credentials });

async function withS3(run: (open: Awaited<ReturnType<typeof openS3>>) => Promise<void>) {
  const opened = await openS3();
  try {
    await run(opened);
  } finally {
    await opened.stop();
  }
}

async function openS3() {
  const data = temporaryFolder('copy');
  const iam = allowAll();
  const server = await startS3({
    ...{ buckets: [{ name: 'content' }], dataDir: data.folder, iam, region: 'us-east-1' },
    ...{ port: 0, emit: () => undefined },
  });
  const calls: string[] = [];
  const client = watchCalls(clientOf(server.endpoint, iam.root), (call, when) => {
    if (when === 'before') calls.push(call);
  });
  const blobs = new S3Blobs(client, 'content');
  // The smallest parts that S3 takes.
  const sizes = { single: 5 * MIB, part: 5 * MIB };
  const deps = { client, blobs, sizes };
  const stop = async () => {
    client.destroy();
    await server.stop();
    data.remove();
  };
  return { blobs, deps, calls, stop };
}

test('a large blob is copied in parts', () =>
  withS3(async ({ blobs, deps, calls }) => {
    const id = await blobs.createMultipart('source', {});
    await blobs.abortMultipart('source', id);
    const bytes = randomBytes(10 * MIB + 1);
    const checksumSha256 = await sha256Of(bytes);
    const { etag } = await blobs.put('source', bytes, { ...CONTENT, checksumSha256 });
    calls.length = 0;
    const source = { blob: 'source', size: bytes.length, etag };
    const copied = await copyBlob(deps, source, 'copy', CONTENT);
    expect(copied?.etag).toMatch(/^[0-9a-f]{32}-3$/);
    const part = 'UploadPartCopy';
    const ends = ['CreateMultipartUpload', 'CompleteMultipartUpload'];
    expect([...calls].sort()).toEqual([...ends, part, part, part].sort());
    const body = await blobs.get('copy');
    expect(body && (await buffer(body)).equals(bytes)).toBe(true);
    expect(await blobs.head('copy')).toMatchObject({ ...CONTENT, etag: copied?.etag });
  }));

test('a copy in parts of a blob that has gone leaves no upload', () =>
  withS3(async ({ deps, calls }) => {
    const source = { blob: 'gone', size: 10 * MIB, etag: 'abc' };
    expect(await copyBlob(deps, source, 'copy', CONTENT)).toBeUndefined();
    expect(calls.at(-1)).toBe('AbortMultipartUpload');
  }));

const copied: ScriptedResponse = {
  status: 200,
  body: '<?xml version="1.0"?>\n   <CopyObjectResult><ETag>&quot;abc&quot;</ETag></CopyObjectResult>',
};
const late = (code: string): ScriptedResponse => ({
  status: 200,
  body: `<?xml version="1.0"?>\n   <Error><Code>${code}</Code><Message>m</Message></Error>`,
});
const failed = (status: number, code: string): ScriptedResponse => ({
  status,
  body: `<Error><Code>${code}</Code><Message>m</Message></Error>`,
});
const existing: ScriptedResponse = {
  status: 200,
  headers: { etag: '"def"', 'content-length': '5' },
};

const SOURCE = { blob: 'a b', size: 5, etag: 'abc' };

async function copyWith(script: readonly ScriptedResponse[]) {
  const server = await startScriptedServer(script);
  const client = clientOf(server.endpoint);
  try {
    const blobs = new S3Blobs(client, 'content');
    const outcome = await blobs.copy(SOURCE, 'copy', CONTENT).then(
      (output) => ({ output }),
      (error) => ({ name: error.name }),
    );
    return { outcome, requests: server.received };
  } finally {
    client.destroy();
    await server.stop();
  }
}

test.each<[string, readonly ScriptedResponse[], object, number]>([
  ['white space before the result', [copied], { output: { etag: 'abc' } }, 1],
  ['an error in a 200 once', [late('InternalError'), copied], { output: { etag: 'abc' } }, 2],
  ['errors in 200 only', [late('InternalError')], { name: 'InternalError' }, 3],
  ['a source that is missing', [failed(404, 'NoSuchKey')], { output: undefined }, 1],
  [
    'a source with another etag',
    [failed(412, 'PreconditionFailed'), { status: 404 }],
    { output: undefined },
    2,
  ],
  [
    'a lost response',
    ['reset', failed(412, 'PreconditionFailed'), existing],
    { output: { etag: 'def' } },
    3,
  ],
  [
    'a conflict without a blob',
    [failed(409, 'ConditionalRequestConflict'), { status: 404 }],
    { name: 'ConditionalRequestConflict' },
    2,
  ],
  [
    'a blob of another size',
    [failed(412, 'PreconditionFailed'), { ...existing, headers: { 'content-length': '6' } }],
    { name: 'PreconditionFailed' },
    2,
  ],
  ['a missing grant', [failed(403, 'AccessDenied')], { name: 'AccessDenied' }, 1],
])('after %s a copy ends as expected', async (_, script, outcome, attempts) => {
  const ended = await copyWith(script);
  expect(ended.outcome).toEqual(outcome);
  expect(ended.requests).toHaveLength(attempts);
});

test('a copy names its source with a condition, and replaces its properties', async () => {
  const { requests } = await copyWith([copied]);
  expect(requests[0]?.path).toMatch(/^\/content\/copy(\?|$)/);
  expect(requests[0]?.headers).toMatchObject({
    'x-amz-copy-source': 'content/a%20b',
    'x-amz-copy-source-if-match': '"abc"',
    'x-amz-metadata-directive': 'REPLACE',
    'x-amz-meta-shape': 'round',
    'content-type': 'text/x-copy',
    'if-none-match': '*',
  });
});

test('a copy is made in parts above the size of a single one', async () => {
  const started = { status: 200, body: '<Result><UploadId>up</UploadId></Result>' };
  const server = await startScriptedServer([copied, started, copied]);
  const client = clientOf(server.endpoint);
  try {
    const blobs = new S3Blobs(client, 'content');
    const sizes = { single: 5, part: 5 };
    const deps = { client, blobs, sizes };
    for (const size of [5, 6]) {
      expect(await copyBlob(deps, { ...SOURCE, size }, 'copy', CONTENT)).toEqual({ etag: 'abc' });
    }
  } finally {
    client.destroy();
    await server.stop();
  }
  const [whole, begin, ...others] = server.received;
  const [one, two, end] = others;
  expect([whole, begin].map((one) => [one?.method, one?.path])).toEqual([
    ['PUT', expect.stringContaining('/content/copy')],
    ['POST', '/content/copy?uploads='],
  ]);
  expect(others).toHaveLength(3);
  const ranges = [one, two].map((part) => part?.headers['x-amz-copy-source-range']);
  expect(ranges.sort()).toEqual(['bytes=0-4', 'bytes=5-5']);
  expect(end).toMatchObject({ method: 'POST', path: '/content/copy?uploadId=up' });
});

async function sha256Of(bytes: Buffer): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('base64');
}
