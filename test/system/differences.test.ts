/**
 * The differences between the emulator and AWS in docs/local.md, each shown on the running service.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DescribeContinuousBackupsCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { HeadObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { newName, useEmulatedService } from '../support/local-service/shared-service';

const ROOT = path.join(__dirname, '..', '..');
const BYTES = 'in clear text on the disk';
const service = useEmulatedService();
const bucket = newName('differences');

interface Endpoints {
  readonly endpoints: Readonly<Record<string, string>>;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly region: string;
  readonly outputs: Readonly<Record<string, string>>;
}

const written = (): Endpoints =>
  JSON.parse(readFileSync(path.join(service().data, 'endpoints.json'), 'utf8'));

async function send(method: string, place: string, body?: string): Promise<Response> {
  const headers = { authorization: `Bearer ${service().apiKey}` };
  const response = await fetch(`${service().baseUrl}${place}`, { method, headers, body });
  if (!response.ok) throw new Error(`${place}: ${response.status} ${await response.text()}`);
  return response;
}

/** Uploads with a signed URL; returns the URL and the headers that S3 stored. */
async function uploaded() {
  const ask = { bucket, key: 'signed', method: 'PUT' };
  const minted = await send('POST', '/api/v2/storage/signed-url', JSON.stringify(ask));
  const { url, headers } = (await minted.json()) as {
    url: string;
    headers: Record<string, string>;
  };
  await fetch(url, { method: 'PUT', headers, body: BYTES });
  const { endpoints, credentials, region, outputs } = written();
  const s3 = new S3Client({ endpoint: endpoints.s3, credentials, region, forcePathStyle: true });
  const Bucket = outputs.ContentBucketName;
  const Prefix = `uploads/${bucket}.`;
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }));
  const head = await s3.send(
    new HeadObjectCommand({ Bucket, Key: Contents[0]?.Key, ChecksumMode: 'ENABLED' }),
  );
  s3.destroy();
  return { url, Bucket, head };
}

const DIFFERENCES: Readonly<Record<string, () => Promise<void>>> = {
  'plain HTTP on loopback': async () => {
    expect(service().baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  },
  'no throttle of a stage': async () => {
    // The stage's throttle in AWS is 50 a second, 100 at once.
    const all = Array.from({ length: 400 }, () => send('GET', '/admin/v1/config'));
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
  },
  'logs are files': async () => {
    await send('GET', '/api/v2/storage/buckets');
    expect(readdirSync(path.join(service().data, 'logs')).length).toBeGreaterThan(0);
  },
  'no metrics and no alarms': async () => {
    expect(Object.keys(written().endpoints).join()).not.toMatch(/cloudwatch|monitoring|xray/i);
  },
  'another issuer, one user': async () => {
    const config = (await (await send('GET', '/admin/v1/config')).json()) as { issuer: string };
    expect(config.issuer).toMatch(/^http:\/\/(127\.0\.0\.1|localhost):\d+/);
  },
  'S3 by path': async () => {
    const { url, Bucket } = await uploaded();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(new URL(url).pathname.split('/')[1]).toBe(Bucket);
  },
  'nothing is encrypted': async () => {
    const { head } = await uploaded();
    // S3 returns this header in AWS too; here it has no effect.
    expect(head.ServerSideEncryption).toBe('AES256');
    const folder = path.join(service().data, 's3');
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));
    expect(files.some((file) => readFileSync(file).includes(BYTES))).toBe(true);
  },
  'no checksum is added': async () => {
    const { head } = await uploaded();
    expect([head.ETag !== undefined, head.ChecksumCRC64NVME]).toEqual([true, undefined]);
  },
  'tables without backups': async () => {
    const { endpoints, outputs, ...config } = written();
    const dynamo = new DynamoDBClient({ ...config, endpoint: endpoints.dynamodb });
    const TableName = outputs.ObjectsTableName;
    const asked = dynamo.send(new DescribeContinuousBackupsCommand({ TableName }));
    await expect(asked).rejects.toThrow(/DescribeContinuousBackups|[Uu]nknown/);
    dynamo.destroy();
  },
};

beforeAll(async () => {
  await send('POST', '/api/v2/storage/buckets', JSON.stringify({ name: bucket }));
});

test.each(Object.entries(DIFFERENCES))('%s', (_name, shown) => shown());

test('docs/local.md has a row for each difference, and the files in its other rows exist', () => {
  // The table of the page's first section.
  const [, first = ''] = readFileSync(path.join(ROOT, 'docs', 'local.md'), 'utf8').split(/^# /m);
  const rows = first
    .split('\n')
    .filter((line) => /^\| (?!What)/.test(line))
    .map((line) =>
      line
        .slice(2)
        .split(' |')
        .map((cell) => cell.trim()),
    );
  expect(rows.length).toBeGreaterThan(15);
  for (const cells of rows) expect([cells[0], cells.length]).toEqual([cells[0], 6]);
  const by = rows.map(([, , , , shown = '']) => shown);
  const here = by.filter((shown) => shown.startsWith('`')).map((shown) => shown.slice(1, -1));
  expect(here.sort()).toEqual(Object.keys(DIFFERENCES).sort());
  const files = by.filter((shown) => shown !== '' && !shown.startsWith('`'));
  expect(files.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
});
