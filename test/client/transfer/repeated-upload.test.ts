/** Uploads in parts whose end the client did not see, or that hang while they are ended. */
import type { ResumeStore, SavedUpload, UploadOptions } from '../../../client';
import { ingestBlob } from '../../../core/uploads/uploads';
import { newKey } from '../../support/samples';
import { clientOfFakes, type FakesOptions } from '../client-of-fakes';

const MiB = 1024 * 1024;
const CONTENT = new File([Buffer.alloc(11 * MiB, 'x')], 'film', { lastModified: 1 });
const isOfS3 = (address: string) => address.startsWith('https://s3.');

/** A bucket, and `commit`, which commits the newest upload as function ingest does. */
async function opened(meddle: FakesOptions['meddle']) {
  const { client, fakes } = clientOfFakes({ meddle });
  fakes.state.apiKeys.set('key-1', newKey({ id: 'key-1' }));
  await client.buckets.create('films');
  const commit = async () => {
    const upload = [...fakes.state.uploads.values()].at(-1);
    await ingestBlob({ ...fakes, backoff: async () => undefined }, upload?.blob ?? '');
  };
  const upload = (options: UploadOptions = {}) =>
    client.upload('films', 'film', CONTENT, { partSize: 5 * MiB, concurrency: 1, ...options });
  return { fakes, commit, upload };
}

/** An uploaded object, whose upload is still saved because the program was killed at its end. */
async function uploadedOnce(conditions: Pick<UploadOptions, 'ifNoneMatch'> = {}) {
  let isPending = false;
  let parts = 0;
  const world = await opened(async (address, { method }) => {
    if (isOfS3(address) && method === 'PUT') parts += 1;
    if (isOfS3(address) && method === 'POST') setImmediate(() => void world.commit());
    if (!address.includes('/uploads/') || !isPending) return undefined;
    // It is committed once the client has asked.
    isPending = false;
    return Response.json({ upload_id: saved?.uploadId, state: 'pending' });
  });
  let saved: SavedUpload | undefined;
  const resume: ResumeStore = {
    load: async () => saved,
    save: async (upload) => {
      saved = upload;
    },
    // The program is killed before.
    clear: async () => undefined,
  };
  const upload = () => world.upload({ ...conditions, resume });
  const first = await upload();
  expect(parts).toBe(3);
  return { upload, first, parts: () => parts, setPending: () => (isPending = true) };
}

test.each<[string, boolean, UploadOptions]>([
  ['was committed before', false, {}],
  ['is committed while it is continued', true, {}],
  ['has created the object that it may only create', true, { ifNoneMatch: '*' }],
])('an upload that %s is not sent again', async (_what, isPending, { ifNoneMatch }) => {
  const { upload, first, parts, setPending } = await uploadedOnce({ ifNoneMatch });
  if (isPending) setPending();
  expect(await upload()).toEqual(first);
  expect(parts()).toBe(3);
});

test.each([
  ['412, since the object is there', () => new Response('', { status: 412 })],
  [
    'NoSuchUpload, since the upload has ended',
    () => new Response('<Error><Code>NoSuchUpload</Code></Error>', { status: 404 }),
  ],
])('an upload whose completion was lost succeeds when the next gets %s', async (_, answer) => {
  let completions = 0;
  let isPending = true;
  const { fakes, commit, upload } = await opened(async (address, init) => {
    if (address.includes('/uploads/') && isPending) {
      // It is committed once the client has asked.
      isPending = false;
      setImmediate(() => void commit());
      return Response.json({ upload_id: address.split('/').at(-1), state: 'pending' });
    }
    if (!isOfS3(address) || init.method !== 'POST') return undefined;
    completions += 1;
    if (completions > 1) return answer();
    const body = Buffer.from(await new Response(init.body).arrayBuffer());
    await fakes.s3.request('POST', address, Object(init.headers), body);
    throw new TypeError('fetch failed');
  });
  expect(await upload()).toMatchObject({ key: 'film', size: CONTENT.size, version: 1 });
  expect(completions).toBe(2);
});

test('an upload that ended before its commit waits for it, and sends nothing again', async () => {
  const stop = new AbortController();
  const begun = Date.now();
  let [parts, asked] = [0, 0];
  let saved: SavedUpload | undefined;
  const resume: ResumeStore = {
    load: async () => saved,
    save: async (state) => {
      saved = state;
    },
    clear: async () => {
      saved = undefined;
    },
  };
  const { fakes, commit, upload } = await opened(async (address, init) => {
    if (address.includes('/uploads/') && ++asked === 4) await commit();
    if (isOfS3(address) && init.method === 'PUT') parts += 1;
    if (!isOfS3(address) || init.method !== 'POST') return undefined;
    if (stop.signal.aborted) return new Response('<Code>NoSuchUpload</Code>', { status: 404 });
    const body = Buffer.from(await new Response(init.body).arrayBuffer());
    await fakes.s3.request('POST', address, Object(init.headers), body);
    stop.abort(new Error('ended'));
    throw new TypeError('fetch failed');
  });
  await expect(upload({ resume, signal: stop.signal })).rejects.toThrow('ended');
  // The service takes a minute.
  jest.spyOn(Date, 'now').mockImplementation(() => begun + asked * 20_000);
  expect(await upload({ resume })).toMatchObject({ key: 'film', version: 1 });
  jest.restoreAllMocks();
  expect([parts, saved]).toEqual([3, undefined]);
});

test('an upload that is aborted after its URLs have expired leaves no parts in S3', async () => {
  const stop = new AbortController();
  let parts = 0;
  const { fakes, upload } = await opened(async (address, { method }) => {
    if (!isOfS3(address) || method !== 'PUT' || ++parts < 2) return undefined;
    fakes.clock.advance(2 * 3_600_000);
    stop.abort(new Error('no more'));
    throw new TypeError('fetch failed');
  });
  await expect(upload({ signal: stop.signal })).rejects.toThrow('no more');
  expect(parts).toBe(2);
  expect(fakes.state.multiparts.size).toBe(0);
});

test('an aborted upload does not wait for a request to S3 that hangs while it is ended', async () => {
  const stop = new AbortController();
  const limits: AbortController[] = [];
  jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const limit = new AbortController();
    limits.push(limit);
    return limit.signal;
  });
  const { upload } = await opened(async (address, { method, signal }) => {
    if (isOfS3(address) && method === 'PUT') stop.abort(new Error('no more'));
    if (!isOfS3(address) || method !== 'DELETE') return undefined;
    const never = new Promise<Response>((_, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason)),
    );
    // The time is over once the request is on its way.
    for (const limit of limits) limit.abort();
    return never;
  });
  await expect(upload({ signal: stop.signal })).rejects.toThrow('no more');
  jest.restoreAllMocks();
});
