/** `stowage import` from a bucket of S3: here the emulator's. */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { allowAll } from '../../../emulator/src/iam/allow-all';
import { startS3 } from '../../../emulator/src/services/s3/s3';
import { temporaryFolder } from '../../support/temporary-folder';
import { didOf, useSyncWorlds } from '../support/sync-world';

jest.setTimeout(240_000);

const world = useSyncWorlds();
const data = temporaryFolder('import');
const iam = allowAll();
let s3: Awaited<ReturnType<typeof startS3>>;
let sdk: S3Client;

beforeAll(async () => {
  const options = { dataDir: data.folder, iam, region: 'us-east-1', port: 0 };
  s3 = await startS3({ ...options, buckets: [{ name: 'old' }], emit: () => undefined });
  const config = { region: 'us-east-1', credentials: iam.root, forcePathStyle: true };
  sdk = new S3Client({ ...config, endpoint: s3.endpoint });
});
afterAll(async () => {
  sdk.destroy();
  await s3.stop();
  data.remove();
});

const put = (Key: string, Body: string | Uint8Array, more = {}) =>
  sdk.send(new PutObjectCommand({ Bucket: 'old', Key, Body, ...more }));

function env() {
  const { accessKeyId, secretAccessKey } = iam.root;
  return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
}

const argsOf = (...more: readonly string[]) => ['import', '--endpoint', s3.endpoint, ...more];

async function run(...more: readonly string[]) {
  const args = argsOf('--json', ...more);
  const { status, stdout, stderr } = await world().stowage.run(args, { env: env() });
  return { status, did: didOf(stdout), stderr };
}

test('import copies contents, metadata and content headers, and repeats nothing', async () => {
  const { bucket, client } = world();
  const gzip = gzipSync('hello');
  const large = randomBytes(9 * 1024 ** 2);
  await put('a/page.html', '<p>', {
    ...{ ContentType: 'text/html', Metadata: { camera: 'x100' }, CacheControl: 'max-age=60' },
    ...{ ContentDisposition: 'attachment', ContentLanguage: 'de' },
  });
  await put('a/packed', gzip, { ContentEncoding: 'gzip', ContentType: 'text/plain' });
  await put('a/large', large);
  await put('a/line\nfeed', 'x');
  await put('b', 'x');
  const args = ['s3://old/a', `${bucket}:imported`];
  const all = { 'page.html': 'imported', packed: 'imported', large: 'imported' };
  expect((await run(...args, '--dry-run')).did).toEqual({ ...all, 'line\nfeed': 'skipped' });
  expect(await world().keys()).toEqual([]);
  const first = await run(...args);
  expect(first).toMatchObject({ status: 0, did: { ...all, 'line\nfeed': 'skipped' } });
  const page = await client.get(bucket, 'imported/page.html');
  expect(await page.text()).toBe('<p>');
  expect(Object.fromEntries(page.headers)).toMatchObject({
    ...{ 'content-type': 'text/html', 'x-object-meta-camera': 'x100', 'content-language': 'de' },
    ...{ 'cache-control': expect.stringContaining('max-age=60') },
    'content-disposition': 'attachment',
  });
  const packed = await client.get(bucket, 'imported/packed');
  expect([packed.headers.get('content-encoding'), await packed.text()]).toEqual(['gzip', 'hello']);
  const stored = await (await client.get(bucket, 'imported/large')).arrayBuffer();
  expect(Buffer.from(stored).equals(large)).toBe(true);
  expect((await run(...args)).did).toEqual({ 'line\nfeed': 'skipped' });
  // Without what it remembers: by size and time.
  const anew = ['--state', world().folder('other')];
  expect((await run(...args, ...anew)).did).toEqual({ 'line\nfeed': 'skipped' });
  await put('a/page.html', '<b>');
  expect((await run(...args)).did).toEqual({ 'page.html': 'imported', 'line\nfeed': 'skipped' });
});

test('an import continues after SIGKILL and ends with every object', async () => {
  const { bucket, client } = world();
  const names = Array.from({ length: 240 }, (_, n) => `many/${String(n).padStart(4, '0')}`);
  await Promise.all(names.map((name) => put(name, name)));
  const args = argsOf('--json', '--parallel', '2', 's3://old/many', `${bucket}:`);
  const first = world().stowage.start(args, { env: env() });
  await first.printed('"name":"0220"');
  await first.end('SIGKILL');
  const before = (await world().keys()).length;
  const again = argsOf('s3://old/many', `${bucket}:`);
  const { status, stdout, stderr } = await world().stowage.run(again, { env: env() });
  expect([status, stderr]).toEqual([0, expect.stringContaining('continues after 0199')]);
  expect(stdout.match(/^imported /gm)?.length).toBeLessThanOrEqual(names.length - before);
  expect(await world().keys()).toEqual(names.map((name) => name.slice('many/'.length)));
  expect(await (await client.get(bucket, '0042')).text()).toBe('many/0042');
});

test('import refuses a source that is not a bucket of S3', async () => {
  const { bucket } = world();
  const missing = await run('s3://missing', `${bucket}:`);
  expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining('NoSuchBucket')]);
  expect(await run('old', `${bucket}:`)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('write s3://BUCKET'),
  });
});
