import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { fetch } from 'undici';
import { allowAll } from '../../../src/iam/allow-all';
import { presign } from '../../contract/s3/presign';
import { afterTest, useFolder } from '../../support/clean-up';
import { useChild } from '../child-process';
import { BUCKET, REGION } from '../server';

const MB = 1_000_000;
const PIECE = Buffer.alloc(MB, 'content');

it('uses no more memory for an object of 100 MB than for a small one', async () => {
  const dataDir = useFolder();
  afterTest(() => rmSync(`${dataDir}.events`, { force: true }));
  const server = await useChild(dataDir);
  const config = {
    endpoint: server.endpoint,
    region: REGION,
    forcePathStyle: true,
    credentials: allowAll().root,
  };
  const transfer = async (Key: string, pieces: number): Promise<void> => {
    const put = await presign(config, new PutObjectCommand({ Bucket: BUCKET, Key }));
    const body = Readable.from(Array.from({ length: pieces }, () => PIECE));
    const headers = { 'content-length': String(pieces * MB) };
    const init = { method: 'PUT', body, headers, duplex: 'half' } as const;
    expect((await fetch(put, init)).status).toBe(200);
    const got = await fetch(await presign(config, new GetObjectCommand({ Bucket: BUCKET, Key })));
    const [sent, received] = [createHash('md5'), createHash('md5')];
    for (let piece = 0; piece < pieces; piece += 1) sent.update(PIECE);
    for await (const bytes of got.body ?? []) received.update(bytes);
    expect(received.digest('hex')).toBe(sent.digest('hex'));
  };
  await transfer('small', 2);
  const before = await server.maxMemory();
  await transfer('large', 100);
  expect((await server.maxMemory()) - before).toBeLessThan(60 * MB);
});
