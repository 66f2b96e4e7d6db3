/** One transfer by the SDK alone, straight to S3: `node sdk-program.js TRANSFER`. */
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';

/** As many as the client and the command have by default. */
const CONCURRENCY = 4;
const RANGE_BYTES = 16 * 1024 ** 2;

const { kind, path, key } = JSON.parse(process.argv[2] ?? '{}');
const object = { Bucket: process.env.CONTENT_BUCKET, Key: key };
const s3 = new S3Client({ forcePathStyle: true });

async function upload(): Promise<void> {
  const params = { ...object, Body: createReadStream(path), IfNoneMatch: '*' };
  await new Upload({ client: s3, queueSize: CONCURRENCY, params }).done();
}

async function download(): Promise<void> {
  const { ContentLength: size = 0 } = await s3.send(new HeadObjectCommand(object));
  await (await open(path, 'w')).close();
  let next = 0;
  const worker = async () => {
    while (next < size) {
      const start = next;
      next += RANGE_BYTES;
      const Range = `bytes=${start}-${Math.min(next, size) - 1}`;
      const { Body } = await s3.send(new GetObjectCommand({ ...object, Range }));
      if (!(Body instanceof Readable)) throw new Error('the response has no body');
      await pipeline(Body, createWriteStream(path, { flags: 'r+', start }));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

const work = kind === 'upload' ? upload() : download();
work
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  })
  .finally(() => s3.destroy());
