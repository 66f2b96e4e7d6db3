import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand, S3 } from '@aws-sdk/client-s3';
import { request } from 'undici';
import { allowAll } from '../../../src/iam/allow-all';
import { SMALL } from '../../../src/services/s3/storage/store';
import { presign } from '../../contract/s3/presign';
import { afterTest, useFolder } from '../../support/clean-up';
import { until } from '../../support/until';
import { useChild } from '../child-process';
import { BUCKET, openServer, REGION, type TestServer } from '../server';
import { dataFiles } from '../stored';

async function put(server: TestServer, Key: string, Body: string | Buffer): Promise<void> {
  await server.s3.putObject({ Bucket: BUCKET, Key, Body });
}

/** Enough for the next start to rewrite the journal. */
const VERSIONS = 1100;

/** Stores `0`, `1`, … under the key, with one signed URL: the SDK takes longer than the server. */
async function putVersions(server: TestServer, Key: string): Promise<void> {
  const { endpoint, iam } = server;
  const config = { endpoint, region: REGION, forcePathStyle: true, credentials: iam.root };
  const command = new PutObjectCommand({ Bucket: BUCKET, Key });
  const url = await presign(config, command, { expiresIn: 3600 });
  for (let version = 0; version < VERSIONS; version += 1) {
    const { statusCode, body } = await request(url, { method: 'PUT', body: `${version}` });
    await body.dump();
    expect(statusCode).toBe(200);
  }
}

async function read(server: TestServer, Key: string): Promise<string | undefined> {
  const got = await server.s3.getObject({ Bucket: BUCKET, Key });
  return got.Body?.transformToString();
}

/** Content that has a file of its own. */
const large = (text: string): string => text.padEnd(SMALL + 1, '.');

const journal = (server: TestServer): string => join(server.dataDir, BUCKET, 'journal.jsonl');

describe('server after a restart', () => {
  it('has objects, properties, uploads, parts and created buckets', async () => {
    const server = await openServer();
    const input = { Bucket: BUCKET, Key: 'a', Body: 'content', Metadata: { colour: 'blue' } };
    const { ETag } = await server.s3.putObject({
      ...input,
      ContentType: 'text/plain',
      ChecksumAlgorithm: 'SHA256',
    });
    await put(server, 'deleted', 'x');
    await server.s3.deleteObject({ Bucket: BUCKET, Key: 'deleted' });
    const of = { Bucket: BUCKET, Key: 'b' };
    const { UploadId } = await server.s3.createMultipartUpload(of);
    const part = await server.s3.uploadPart({ ...of, UploadId, PartNumber: 1, Body: 'part' });

    const again = await server.restart();
    const get = { Bucket: BUCKET, Key: 'a', ChecksumMode: 'ENABLED' } as const;
    const got = await again.s3.getObject(get);
    expect(got).toMatchObject({ ETag, ContentType: 'text/plain', Metadata: { colour: 'blue' } });
    expect(got.ChecksumSHA256).toBeDefined();
    expect(await got.Body?.transformToString()).toBe('content');
    const list = await again.s3.listObjectsV2({ Bucket: BUCKET });
    expect(list.Contents?.map(({ Key }) => Key)).toEqual(['a']);
    const parts = await again.s3.listParts({ ...of, UploadId });
    expect(parts.Parts).toMatchObject([{ PartNumber: 1, Size: 4, ETag: part.ETag }]);
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: part.ETag }] };
    await again.s3.completeMultipartUpload({ ...of, UploadId, MultipartUpload });

    const third = await again.restart();
    expect(await read(third, 'b')).toBe('part');
    const uploads = await third.s3.listMultipartUploads({ Bucket: BUCKET });
    expect(uploads.Uploads).toBeUndefined();
  });

  it('has removed files without an entry, and an incomplete last line', async () => {
    const server = await openServer();
    await put(server, 'a', large('content'));
    await server.stop();
    writeFileSync(join(server.dataDir, BUCKET, 'data', 'left-behind'), 'half an object');
    appendFileSync(journal(server), '{"op":"put","number":2,"object":{"key":"half');

    const again = await server.restart();
    expect(dataFiles(again)).toHaveLength(1);
    await put(again, 'b', 'next');
    const third = await again.restart();
    expect(await read(third, 'a')).toBe(large('content'));
    expect(await read(third, 'b')).toBe('next');
  });

  it('has every content in a rewritten journal, and continues the sequencers', async () => {
    const server = await openServer();
    const contents = new Map(
      [0, 1, 1000, SMALL - 1, SMALL, SMALL + 1, 100_000].map((size) => [
        `size-${size}`,
        Buffer.alloc(size, '\n{"op":"abort","upload":"none"}\n\u0000\xff'),
      ]),
    );
    for (const [key, bytes] of contents) await put(server, key, bytes);
    await putVersions(server, 'a');
    const sizes = [statSync(journal(server)).size];
    let again = server;
    for (let round = 0; round < 2; round += 1) {
      again = await again.restart();
      sizes.push(statSync(journal(again)).size);
      for (const [Key, bytes] of contents) {
        const got = await again.s3.getObject({ Bucket: BUCKET, Key });
        expect(bytes.equals((await got.Body?.transformToByteArray()) ?? Buffer.of())).toBe(true);
      }
      const Range = 'bytes=2-500';
      const part = await again.s3.getObject({ Bucket: BUCKET, Key: 'size-1000', Range });
      const expected = contents.get('size-1000')?.subarray(2, 501);
      expect(Buffer.from((await part.Body?.transformToByteArray()) ?? [])).toEqual(expected);
    }
    expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) / 2);
    expect(dataFiles(again)).toHaveLength(2);
    expect(await read(again, 'a')).toBe(`${VERSIONS - 1}`);
    await put(again, 'a', 'last');
    await until(() => again.events.length === 1);
    const last = server.events.at(-1)?.sequencer ?? '';
    expect((again.events[0]?.sequencer ?? '') > last).toBe(true);
  });

  it('has dropped a small object whose bytes are incomplete', async () => {
    const server = await openServer();
    await put(server, 'a', 'content');
    const { size } = statSync(journal(server));
    const whole = { op: 'put', number: 2, object: { key: 'half', segments: [] }, bytes: 40 };
    await server.stop();
    for (const written of [0, 39, 40]) {
      truncateSync(journal(server), size);
      appendFileSync(journal(server), `${JSON.stringify(whole)}\n${'x'.repeat(written)}`);
      const again = await server.restart();
      expect(await read(again, 'a')).toBe('content');
      const list = await again.s3.listObjectsV2({ Bucket: BUCKET });
      expect(list.KeyCount).toBe(1);
      await again.stop();
    }
  });

  it('refuses a damaged journal, and names the line', async () => {
    const server = await openServer();
    await put(server, 'a', 'content');
    await server.stop();
    writeFileSync(journal(server), `not json\n${readFileSync(journal(server), 'utf8')}`);
    await expect(server.restart()).rejects.toThrow('line 1 is damaged');
  });
});

describe('data folder', () => {
  it('has no file of a replaced, deleted, aborted or unused part or object', async () => {
    const server = await openServer();
    await put(server, 'a', large('first'));
    await put(server, 'a', large('second'));
    await put(server, 'b', large('deleted'));
    expect(dataFiles(server).length).toBeGreaterThan(0);
    await server.s3.deleteObject({ Bucket: BUCKET, Key: 'b' });
    const of = { Bucket: BUCKET, Key: 'c' };
    const { UploadId } = await server.s3.createMultipartUpload(of);
    const send = async (PartNumber: number) =>
      server.s3.uploadPart({ ...of, UploadId, PartNumber, Body: 'part' });
    const { ETag } = await send(1);
    await send(2);
    await send(2);
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
    await server.s3.completeMultipartUpload({ ...of, UploadId, MultipartUpload });
    // The files of a and c.
    await until(() => dataFiles(server).length === 2);
  });

  it('has the bytes that a running download reads', async () => {
    const server = await openServer();
    const first = randomBytes(20 * 1024 * 1024);
    await put(server, 'a', first);
    const got = await server.s3.getObject({ Bucket: BUCKET, Key: 'a' });
    await put(server, 'a', 'second');
    await server.s3.deleteObject({ Bucket: BUCKET, Key: 'a' });
    const bytes = (await got.Body?.transformToByteArray()) ?? Buffer.alloc(0);
    expect(first.equals(bytes)).toBe(true);
    await until(() => dataFiles(server).length === 0);
  });
});

describe('server that is killed under load', () => {
  it('loses no acknowledged write, shows no partial write and loses no event', async () => {
    const dataDir = useFolder();
    afterTest(() => rmSync(`${dataDir}.events`, { force: true }));
    const acknowledged = new Map<string, string>();
    let sent = 0;
    for (let round = 0; round < 3; round += 1) {
      const child = await useChild(dataDir);
      const s3 = client(child.endpoint);
      const goal = acknowledged.size + 150;
      const writer = async (): Promise<void> => {
        for (;;) {
          sent += 1;
          const Key = `key-${sent}`;
          const body = Buffer.alloc(sent % 7 === 0 ? 200_000 : 100, Key);
          try {
            await s3.putObject({ Bucket: BUCKET, Key, Body: body });
          } catch {
            return;
          }
          acknowledged.set(Key, body.toString());
        }
      };
      const writers = Array.from({ length: 8 }, writer);
      await until(() => acknowledged.size >= goal);
      await child.kill();
      await Promise.all(writers);
      s3.destroy();
    }

    const emitted = readFileSync(`${dataDir}.events`, 'utf8');
    const server = await openServer({ dataDir });
    for (const [Key, body] of acknowledged) expect(await read(server, Key)).toBe(body);
    const keys: string[] = [];
    let files = 0;
    let token: string | undefined;
    do {
      const list = { Bucket: BUCKET, ContinuationToken: token };
      const page = await server.s3.listObjectsV2(list);
      keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
      token = page.NextContinuationToken;
    } while (token !== undefined);
    // A write that was not acknowledged may exist, but only complete.
    for (const Key of keys) {
      const body = await read(server, Key);
      expect(body).toBe(Buffer.alloc(body?.length ?? 0, Key).toString());
      expect([100, 200_000]).toContain(body?.length);
      if (body?.length === 200_000) files += 1;
    }
    expect(dataFiles(server)).toHaveLength(files);
    // Each event was emitted before the kill or after the restart.
    const events = new Set([...emitted.split('\n'), ...server.events.map(({ key }) => key)]);
    expect(keys.filter((key) => !events.has(key))).toEqual([]);
    expect(server.errors).toEqual([]);
  });
});

function client(endpoint: string): S3 {
  const credentials = allowAll().root;
  return new S3({
    endpoint,
    region: REGION,
    forcePathStyle: true,
    maxAttempts: 1,
    credentials,
  });
}
