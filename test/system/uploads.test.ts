/** Uploads of any size by the client, against the running service. */

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { fileResume, type ResumeStore, type UploadSource } from '../../client';
import { workingFiles } from '../../client/transfer/file-download';
import { until } from '../support/until';
import { digest, PART, useTransfers } from './support/transfers';

jest.setTimeout(240_000);

const { bucket, content, file, clientOf, stored } = useTransfers();

test('a file above 4 MiB is uploaded in parts and downloaded again', async () => {
  const { client, parts } = clientOf();
  const sent: number[] = [];
  const object = await client.upload(
    bucket,
    'a',
    { path: file('content') },
    {
      contentType: 'video/mp4',
      metadata: { camera: 'x100' },
      onProgress: (progress) => sent.push(progress.sent),
    },
  );
  expect(object).toMatchObject({
    ...{ bucket, key: 'a', version: 1, size: content.length },
    ...{ content_type: 'video/mp4', metadata: { camera: 'x100' } },
  });
  expect([...parts].sort()).toEqual([1, 2, 3, 4, 5]);
  expect(sent.at(-1)).toBe(content.length);
  const received: number[] = [];
  const target = file('downloaded');
  await client.download(
    bucket,
    'a',
    { path: target },
    {
      onProgress: (progress) => received.push(progress.received),
    },
  );
  expect(digest(readFileSync(target))).toBe(digest(content));
  expect(received.at(-1)).toBe(content.length);
  const { partial, notes, lock } = await workingFiles(target);
  expect([partial, notes, lock].filter(existsSync)).toEqual([]);
});

test('streams of unknown length are uploaded, and an object is written to a stream', async () => {
  const { client } = clientOf();
  await client.upload(bucket, 'node', createReadStream(file('content'), { start: 5 }));
  expect(await stored('node')).toBe(digest(content.subarray(5)));
  const web = new Blob([content.subarray(0, 100)]).stream();
  expect(await client.upload(bucket, 'web', web)).toMatchObject({ size: 100 });
  const hash = createHash('sha256');
  const target = new WritableStream<Uint8Array>({ write: (chunk) => void hash.update(chunk) });
  await client.download(bucket, 'node', target);
  expect(hash.digest('hex')).toBe(digest(content.subarray(5)));
});

test('an upload that was interrupted sends only the parts that S3 does not have', async () => {
  const resume = fileResume(file('resume.json'));
  const source = { path: file('content') };
  const stop = new AbortController();
  const first = clientOf();
  const onProgress = ({ sent }: { sent: number }) => {
    if (sent >= 2 * PART) stop.abort(new Error('interrupted'));
  };
  const options = { resume, concurrency: 1, onProgress, signal: stop.signal };
  await expect(first.client.upload(bucket, 'resumed', source, options)).rejects.toThrow(
    'interrupted',
  );
  const second = clientOf();
  await second.client.upload(bucket, 'resumed', source, { resume });
  expect([...first.parts, ...second.parts].sort()).toEqual([1, 2, 3, 4, 5]);
  expect(await stored('resumed')).toBe(digest(content));
  expect(await resume.load()).toBeUndefined();
});

/** Lets an upload end after its second part. */
async function interrupt(key: string, resume: ResumeStore, source: UploadSource): Promise<void> {
  const stop = new AbortController();
  const onProgress = ({ sent }: { sent: number }) => {
    if (sent >= 2 * PART) stop.abort(new Error('interrupted'));
  };
  const options = { resume, concurrency: 1, onProgress, signal: stop.signal };
  const upload = clientOf().client.upload(bucket, key, source, options);
  await expect(upload).rejects.toThrow('interrupted');
}

test('an upload starts again when its options differ or its content may have changed', async () => {
  const resume = fileResume(file('anew.json'));
  const source = { path: file('content') };
  await interrupt('anew', resume, source);
  const second = clientOf();
  const options = { resume, metadata: { camera: 'x100' } };
  const object = await second.client.upload(bucket, 'anew', source, options);
  expect([second.parts.length, object.metadata]).toEqual([5, { camera: 'x100' }]);
  await interrupt('anew', resume, new Blob([content]));
  const third = clientOf();
  await third.client.upload(bucket, 'anew', new Blob([content.map((byte) => ~byte)]), { resume });
  expect(third.parts).toHaveLength(5);
  expect(await stored('anew')).toBe(digest(content.map((byte) => ~byte)));
});

test('a repeated upload returns the object when only the response was lost', async () => {
  const resume = fileResume(file('unseen.json'));
  const source = { path: file('content') };
  const stop = new AbortController();
  const { client } = clientOf(async (url, init, send) => {
    const response = await send(url.href, init);
    if (init.method === 'POST' && url.searchParams.has('uploadId')) stop.abort(new Error('ended'));
    return response;
  });
  const options = { resume, ifNoneMatch: '*' } as const;
  const first = client.upload(bucket, 'unseen', source, { ...options, signal: stop.signal });
  await expect(first).rejects.toThrow('ended');
  await until('the object', () => client.describe(bucket, 'unseen').catch(() => undefined));
  const second = clientOf();
  const object = await second.client.upload(bucket, 'unseen', source, options);
  expect([object.version, second.parts]).toEqual([1, []]);
  expect(await resume.load()).toBeUndefined();
});

test('a saved upload of other content is not continued', async () => {
  const resume = fileResume(file('other.json'));
  const saved = {
    uploadId: 'x',
    fields: '[]',
    bucket,
    key: 'other',
    size: 1,
    partSize: PART,
    etags: {},
  };
  await resume.save(saved);
  const { client, parts } = clientOf();
  await client.upload(bucket, 'other', { path: file('content') }, { resume });
  expect(parts).toHaveLength(5);
});

test('parts whose connection is lost and URLs that have expired are sent again', async () => {
  const failures = new Map([
    ['2', () => Promise.reject(new TypeError('fetch failed'))],
    ['3', async () => new Response('<Error><Code>AccessDenied</Code></Error>', { status: 403 })],
    ['4', async () => new Response('', { status: 503 })],
  ]);
  const { client, parts } = clientOf(async (url, init, send) => {
    const number = url.searchParams.get('partNumber') ?? '';
    const fail = init.method === 'PUT' ? failures.get(number) : undefined;
    failures.delete(number);
    return fail ? fail() : send(url.href, init);
  });
  await client.upload(bucket, 'renewed', { path: file('content') });
  expect(failures.size).toBe(0);
  expect([...parts].sort()).toEqual([1, 2, 3, 4, 5]);
  expect(await stored('renewed')).toBe(digest(content));
});

test.each([
  ['is completed with URLs that are signed again before', 'as it is'],
  ['is completed with the present URLs when no others are signed', 'refused'],
])('an upload with signsAgain %s', async (_title, second) => {
  const sequence: string[] = [];
  const { client } = clientOf(async (url, init, send) => {
    const isSigning = url.pathname.endsWith('/signed-url');
    if (isSigning) sequence.push('signed');
    if (init.method === 'POST' && url.searchParams.has('uploadId')) sequence.push('completed');
    if (isSigning && sequence.length > 1 && second === 'refused') {
      return Response.json({ error: { code: 'not_found', message: 'ended' } }, { status: 404 });
    }
    return send(url.href, init);
  });
  const source = { path: file('content') };
  const object = await client.upload(bucket, second, source, { signsAgain: true });
  expect([object.size, sequence]).toEqual([content.length, ['signed', 'signed', 'completed']]);
});

test('a completion whose response was lost is completed once', async () => {
  let isLost = false;
  const { client } = clientOf(async (url, init, send) => {
    const response = await send(url.href, init);
    if (isLost || init.method !== 'POST' || !url.searchParams.has('uploadId')) return response;
    isLost = true;
    await response.text();
    throw new TypeError('fetch failed');
  });
  const object = await client.upload(bucket, 'completed', { path: file('content') });
  expect([isLost, object.version]).toEqual([true, 1]);
});

test('a failed condition refuses an upload before or after the transfer', async () => {
  const { client, parts } = clientOf();
  const source = { path: file('content') };
  await client.put(bucket, 'there', 'x');
  const early = client.upload(bucket, 'there', source, { ifNoneMatch: '*' });
  await expect(early).rejects.toMatchObject({ code: 'precondition_failed' });
  expect(parts).toEqual([]);
  let isMade = false;
  const late = clientOf(async (url, init, send) => {
    if (!isMade && url.searchParams.get('partNumber') === '1') {
      isMade = true;
      await client.put(bucket, 'late', 'x');
    }
    return send(url.href, init);
  });
  const upload = late.client.upload(bucket, 'late', source, { ifNoneMatch: '*' });
  await expect(upload).rejects.toMatchObject({ code: 'precondition_failed' });
  expect(await client.describe(bucket, 'late')).toMatchObject({ size: 1, version: 1 });
});

test('an aborted upload without a resume store leaves no parts', async () => {
  const stop = new AbortController();
  const aborted: string[] = [];
  const { client } = clientOf(async (url, init, send) => {
    if (init.method === 'DELETE') aborted.push(url.searchParams.get('uploadId') ?? '');
    return send(url.href, init);
  });
  const onProgress = () => stop.abort(new Error('no more'));
  const options = { signal: stop.signal, onProgress };
  const upload = client.upload(bucket, 'aborted', { path: file('content') }, options);
  await expect(upload).rejects.toThrow('no more');
  expect(aborted).toHaveLength(1);
});

test('abortUpload ends a saved upload, and the content can then be uploaded again', async () => {
  const resume = fileResume(file('ended.json'));
  await interrupt('ended', resume, { path: file('content') });
  const saved = await resume.load();
  if (!saved) throw new Error('nothing was saved');
  const { client } = clientOf();
  await client.abortUpload(saved);
  await expect(client.abortUpload(saved)).rejects.toMatchObject({ code: 'not_found' });
  const second = clientOf();
  await second.client.upload(bucket, 'ended', { path: file('content') }, { resume });
  expect(second.parts).toHaveLength(5);
});
