/** Downloads to files by the client, against the running service. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { workingFiles } from '../../client/transfer/file-download';
import { digest, MIB, useTransfers } from './support/transfers';

jest.setTimeout(240_000);

const { bucket, content, file, clientOf } = useTransfers();

test('a download continues within a range whose connection was cut', async () => {
  await clientOf().client.upload(bucket, 'cut', { path: file('content') });
  const ranges: string[] = [];
  const { client } = clientOf(async (url, init, send) => {
    const range = new Headers(init.headers).get('range');
    const response = await send(url.href, init);
    if (range === null || response.body === null) return response;
    ranges.push(range);
    return ranges.length > 2 ? response : new Response(cutAfter(response.body, MIB), response);
  });
  const target = file('cut');
  await client.download(bucket, 'cut', { path: target }, { concurrency: 1 });
  expect(digest(readFileSync(target))).toBe(digest(content));
  const from = ranges.map((range) => Number(/=(\d+)-/.exec(range)?.[1]));
  expect(from[0]).toBe(0);
  expect(from[1]).toBeGreaterThanOrEqual(MIB);
  expect(from[2]).toBeGreaterThanOrEqual(2 * MIB);
});

test('an interrupted download receives only the ranges that are missing', async () => {
  await clientOf().client.upload(bucket, 'again', { path: file('content') });
  const target = { path: file('again') };
  const stop = new AbortController();
  const onProgress = ({ received }: { received: number }) => {
    if (received > 20 * MIB) stop.abort(new Error('interrupted'));
  };
  const options = { concurrency: 1, onProgress, signal: stop.signal };
  const first = clientOf().client.download(bucket, 'again', target, options);
  await expect(first).rejects.toThrow('interrupted');
  const ranges: string[] = [];
  const { client } = clientOf(async (url, init, send) => {
    const range = new Headers(init.headers).get('range');
    if (range !== null) ranges.push(range);
    return send(url.href, init);
  });
  await client.download(bucket, 'again', target);
  const from = ranges.map((range) => Number(/=(\d+)-/.exec(range)?.[1]));
  // The disk has the first five blocks of 4 MiB.
  expect(from.sort((a, b) => a - b)).toEqual([20 * MIB]);
  expect(digest(readFileSync(target.path))).toBe(digest(content));
});

test('the second of two downloads to the same file is refused, and the first completes', async () => {
  await clientOf().client.upload(bucket, 'twice', { path: file('content') });
  const target = { path: file('twice') };
  const { client } = clientOf();
  const both = [1, 2].map(() => client.download(bucket, 'twice', target));
  const ends = await Promise.allSettled(both);
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  expect(failures).toEqual([expect.objectContaining({ code: 'conflict' })]);
  expect(digest(readFileSync(target.path))).toBe(digest(content));
});

test('the lock of a process that has ended is taken over', async () => {
  const target = { path: file('lock') };
  const { status, pid } = spawnSync(process.execPath, ['-e', '']);
  expect(status).toBe(0);
  const { lock } = await workingFiles(target.path);
  writeFileSync(lock, `stowage ${pid}`);
  await clientOf().client.put(bucket, 'lock', 'hello');
  await clientOf().client.download(bucket, 'lock', target);
  expect(readFileSync(target.path, 'utf8')).toBe('hello');
  expect(existsSync(lock)).toBe(false);
});

test('a download discards the received bytes of another version', async () => {
  const other = content.map((byte) => ~byte);
  await clientOf().client.upload(bucket, 'versions', { path: file('content') });
  await clientOf().client.upload(bucket, 'versions', new Blob([other]));
  const target = { path: file('versions') };
  const interrupted = async (version: number, after: number) => {
    const stop = new AbortController();
    const onProgress = ({ received }: { received: number }) => {
      if (received > after) stop.abort(new Error('interrupted'));
    };
    const options = { version, concurrency: 1, onProgress, signal: stop.signal };
    const download = clientOf().client.download(bucket, 'versions', target, options);
    await expect(download).rejects.toThrow('interrupted');
  };
  await interrupted(1, 20 * MIB);
  await interrupted(2, 1);
  await clientOf().client.download(bucket, 'versions', target, { version: 1 });
  expect(digest(readFileSync(target.path))).toBe(digest(content));
});

test('a download fails when the bytes do not match the checksum of the object', async () => {
  const { client } = clientOf(async (url, init, send) => {
    const response = await send(url.href, init);
    if (init.method !== 'GET' || url.searchParams.has('view') || !url.pathname.endsWith('/sum')) {
      return response;
    }
    return new Response('jello', response);
  });
  await client.put(bucket, 'sum', 'hello');
  const target = file('sum');
  await expect(client.download(bucket, 'sum', { path: target })).rejects.toMatchObject({
    code: 'invalid_answer',
    message: expect.stringContaining('checksum'),
  });
  const { partial } = await workingFiles(target);
  expect([existsSync(target), existsSync(partial)]).toEqual([false, false]);
});

test('an empty object is uploaded and downloaded', async () => {
  const { client } = clientOf();
  await client.upload(bucket, 'empty', new Uint8Array(0));
  await client.download(bucket, 'empty', { path: file('empty') });
  expect(readFileSync(file('empty')).length).toBe(0);
});

/** The first bytes of a body, and then an error. */
function cutAfter(body: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array> {
  let left = bytes;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        left -= chunk.length;
        if (left <= 0) controller.error(new Error('cut'));
      },
    }),
  );
}
