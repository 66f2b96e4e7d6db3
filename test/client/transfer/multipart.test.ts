/** Uploads in parts that are refused, lost, continued and ended, by a script. */
import type { SavedUpload } from '../../../client';
import { Http } from '../../../client/http';
import { uploadParts } from '../../../client/transfer/multipart';
import type { SendPart } from '../../../client/transfer/send-part';
import { DESCRIPTOR, OBJECT, PART, scripted } from './support/scripted-upload';

const LARGE = new File([new Uint8Array(3 * PART - 1)], 'name', { type: 'a/b', lastModified: 7 });
const FIELDS = JSON.stringify([{ content_type: 'a/b' }, PART]);
const SAVED: SavedUpload = {
  ...{ uploadId: 'saved', bucket: 'a', key: 'k', size: LARGE.size, partSize: PART },
  ...{ modifiedAt: 7, fields: FIELDS, etags: { 2: '"two"' } },
};
const refusal = (status: number) => () => Response.json({}, { status });
const pending = () => Response.json({ state: 'pending' });
const failed = () => Promise.reject(new TypeError('fetch failed'));
const coded = (code: string, status: number) => new Response(`<Code>${code}</Code>`, { status });

beforeEach(() => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => jest.restoreAllMocks());

test('each part is sent to its URL, and S3 puts them together in order', async () => {
  const { upload, named } = scripted();
  await upload(LARGE);
  expect(named('PUT s3').map(({ address, body }) => [address, body])).toEqual([
    ['https://s3.example/u/1', PART],
    ['https://s3.example/u/2', PART],
    ['https://s3.example/u/3', PART - 1],
  ]);
  const parts = String(named('POST s3')[0]?.body).match(/<ETag>[^<]*/g);
  expect(parts).toEqual(['<ETag>"1"', '<ETag>"2"', '<ETag>"3"']);
});

test('what is saved grows with each part, and is forgotten in the end', async () => {
  const { upload, resume, states } = scripted();
  await upload(LARGE, { resume, partSize: PART });
  const saved = { ...SAVED, uploadId: 'u', etags: {} };
  expect(states).toEqual([
    saved,
    { ...saved, etags: { 1: '"1"' } },
    { ...saved, etags: { 1: '"1"', 2: '"2"' } },
    { ...saved, etags: { 1: '"1"', 2: '"2"', 3: '"3"' } },
    undefined,
  ]);
});

test('an upload that was saved is continued with the parts that are missing', async () => {
  const { upload, resume, named, progress } = scripted({ 'GET uploads': oncePending() }, SAVED);
  expect(await upload(LARGE, { resume, partSize: PART })).toEqual(DESCRIPTOR);
  expect(named('POST signed-url').map(({ body }) => Object(body).multipart)).toEqual([
    { upload_id: 'saved' },
  ]);
  expect(named('PUT s3').map(({ address }) => address)).toEqual([
    'https://s3.example/saved/1',
    'https://s3.example/saved/3',
  ]);
  expect(progress).toEqual([2 * PART, 3 * PART - 1]);
});

/** Pending when the client asks what became of an earlier upload. */
function oncePending() {
  return (_: unknown, nth: number) =>
    nth === 1 ? pending() : Response.json({ state: 'committed', object: OBJECT });
}

test.each<[string, Partial<SavedUpload>, Partial<{ source: Blob }>]>([
  ['bucket', { bucket: 'b' }, {}],
  ['key', { key: 'l' }, {}],
  ['size', { size: LARGE.size - 1 }, {}],
  ['time', { modifiedAt: 8 }, {}],
  ['time that is not known', { modifiedAt: undefined }, { source: new Blob([LARGE], LARGE) }],
  ['description', { fields: JSON.stringify([{ content_type: 'c/d' }, PART]) }, {}],
  ['size of parts that was asked for', { fields: JSON.stringify([{ content_type: 'a/b' }]) }, {}],
  ['size of parts that the service signs', { partSize: PART + 1 }, {}],
])('an upload with another %s begins anew', async (_, other, { source = LARGE }) => {
  const world = scripted({ 'GET uploads': oncePending() }, { ...SAVED, ...other });
  await world.upload(source, { resume: world.resume, partSize: PART });
  expect(Object(world.named('POST signed-url').at(-1)?.body).multipart).toEqual({
    ...{ size: LARGE.size, part_size: PART },
  });
  expect(world.named('PUT s3')).toHaveLength(3);
});

test('an upload that was saved and has ended meanwhile begins anew', async () => {
  const { upload, resume, named, states } = scripted(
    {
      'GET uploads': (_, nth) => (nth < 3 ? refusal(404)() : committed()),
      'PUT s3': (_, nth) => (nth === 1 ? coded('NoSuchUpload', 404) : part()),
    },
    SAVED,
  );
  expect(await upload(LARGE, { resume, partSize: PART })).toEqual(DESCRIPTOR);
  expect(named('PUT s3').map(({ address }) => address)).toEqual([
    ...['https://s3.example/saved/1', 'https://s3.example/u/1'],
    ...['https://s3.example/u/2', 'https://s3.example/u/3'],
  ]);
  expect(states.at(-1)).toBeUndefined();
});

const committed = () => Response.json({ state: 'committed', object: OBJECT });
const part = () => new Response(null, { headers: { etag: '"e"' } });

test('an upload that was saved, and is committed while it is continued, is done', async () => {
  const { upload, resume, named, progress } = scripted(
    { 'GET uploads': oncePending(), 'PUT s3': () => coded('NoSuchUpload', 404) },
    SAVED,
  );
  expect(await upload(LARGE, { resume, partSize: PART })).toEqual(DESCRIPTOR);
  expect(named('PUT s3')).toHaveLength(1);
  expect(progress.at(-1)).toBe(LARGE.size);
});

test('a new upload that S3 does not know fails', async () => {
  const { failing, names } = scripted({ 'PUT s3': () => coded('NoSuchUpload', 404) });
  expect(await failing(LARGE)).toMatchObject({ code: 'not_found' });
  expect(names()).not.toContain('GET uploads');
});

test('a part is sent 8 times, and the failure is thrown', async () => {
  const { failing, named } = scripted({ 'PUT s3': failed });
  expect(await failing(LARGE)).toMatchObject({ code: 'network' });
  expect(named('PUT s3')).toHaveLength(8);
});

test.each<[string, number, boolean, string[]]>([
  ['that may pass, is kept', 503, true, []],
  ['that stays, is forgotten and ended', 400, true, ['POST signed-url', 'DELETE s3']],
  ['that may pass, is ended when it is not saved', 503, false, ['POST signed-url', 'DELETE s3']],
])('an upload that fails for a reason %s', async (_, status, isSaved, end) => {
  const { failing, names, resume, states, named } = scripted({ 'PUT s3': refusal(status) });
  const error = await failing(LARGE, isSaved ? { resume } : {});
  expect(error).toMatchObject({ status });
  const after = names().slice(names().lastIndexOf('PUT s3') + 1);
  expect(after).toEqual(end);
  if (end.length > 0) {
    expect(Object(named('POST signed-url').at(-1)?.body).multipart).toEqual({ upload_id: 'u' });
  }
  if (isSaved) expect(states.at(-1) === undefined).toBe(end.length > 0);
});

test('the failure of an upload is thrown, also when it cannot be ended', async () => {
  const { failing } = scripted({ 'PUT s3': refusal(400), 'DELETE s3': failed });
  expect(await failing(LARGE)).toMatchObject({ code: 'invalid_request' });
});

test('URLs that S3 refuses are signed again for the same upload', async () => {
  const { upload, named } = scripted({
    'PUT s3': (_, nth) => (nth === 2 ? refusal(403)() : part()),
  });
  await upload(LARGE);
  expect(named('POST signed-url').map(({ body }) => Object(body).multipart)).toEqual([
    { size: LARGE.size },
    { upload_id: 'u' },
  ]);
  expect(named('PUT s3')).toHaveLength(4);
});

test.each([
  [true, 2],
  [false, 1],
])('with signsAgain %p the URLs are signed %i times', async (signsAgain, times) => {
  const world = scripted();
  await world.upload(LARGE, { signsAgain });
  expect(world.named('POST signed-url')).toHaveLength(times);
  const other = scripted({ 'POST signed-url': (_, nth) => (nth > 1 ? refusal(403)() : undefined) });
  expect(await other.upload(LARGE, { signsAgain })).toEqual(DESCRIPTOR);
});

/** What S3 answers to the completions, one after the other, and what the client makes of it. */
test.each<[string, (() => Promise<Response> | Response)[], string, number]>([
  ['an error in a response of 200', [() => coded('InternalError', 200)], 'done', 2],
  ['503', [refusal(503)], 'done', 2],
  ['no response', [failed], 'done', 2],
  ['412', [refusal(412)], 'done', 1],
  ['InvalidPart', [() => coded('InvalidPart', 400)], 'invalid_request', 1],
  ['403, and again', [refusal(403), refusal(403)], 'forbidden', 2],
  ['failures without end', Array(9).fill(refusal(503)), 'unavailable', 8],
])('a completion that gets %s', async (_, answers, outcome, times) => {
  const { failing, named } = scripted({
    'POST s3': (_body, nth) => answers[nth - 1]?.() ?? new Response(''),
  });
  expect((await failing(LARGE))?.code ?? 'done').toBe(outcome);
  expect(named('POST s3')).toHaveLength(times);
});

/** What the client says after two minutes without a commit, by the answers to its completions. */
test.each<[string, (() => Promise<Response> | Response)[], string]>([
  ['NoSuchUpload', [unknown], 'not_found'],
  ['NoSuchUpload after a refused URL', [refusal(403), unknown], 'not_found'],
  ['NoSuchUpload after 503', [refusal(503), unknown], 'unavailable'],
  ['NoSuchUpload after no response', [failed, unknown], 'unavailable'],
  ['412', [refusal(412)], 'unavailable'],
  ['200', [() => new Response('')], 'unavailable'],
])('an upload that is never committed, whose completion got %s', async (_, answers, code) => {
  const begun = Date.now();
  let steps = 0;
  const { failing } = scripted({
    'POST s3': (_body, nth) => answers[nth - 1]?.() ?? new Response(''),
    'GET uploads': () => {
      steps += 1;
      return pending();
    },
  });
  jest.spyOn(Date, 'now').mockImplementation(() => begun + steps * 130_000);
  expect(await failing(LARGE)).toMatchObject({ code });
});

function unknown() {
  return coded('NoSuchUpload', 404);
}

test('a completion that takes five minutes is sent again, and its timer ends', async () => {
  const { setTimeout: real } = globalThis;
  const timers: unknown[] = [];
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) => {
    const timer = real(run, ms === 300_000 && timers.length === 0 ? 0 : ms);
    if (ms === 300_000) timers.push(timer);
    return timer;
  }) as typeof setTimeout);
  const ended = jest.spyOn(globalThis, 'clearTimeout');
  const { upload, named } = scripted({
    'POST s3': (_, nth, { signal }) =>
      nth > 1
        ? new Response('')
        : new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason));
          }),
  });
  await upload(LARGE);
  expect([named('POST s3').length, timers.length]).toEqual([2, 2]);
  for (const timer of timers) expect(ended).toHaveBeenCalledWith(timer);
});

test('an upload that was saved and is refused does not begin anew', async () => {
  const script = { 'GET uploads': pending, 'PUT s3': refusal(400) };
  const { failing, resume, named } = scripted(script, SAVED);
  const error = await failing(LARGE, { resume, partSize: PART });
  expect(error).toMatchObject({ code: 'invalid_request' });
  const ids = named('POST signed-url').map(({ body }) => Object(body).multipart.upload_id);
  expect(ids).toEqual(['saved', 'saved']);
});

test('progress within a part is that of the upload', async () => {
  const reported: number[] = [];
  const { fetch } = scripted();
  const http = new Http({ baseUrl: 'https://files.example', fetch });
  const source = { blob: LARGE, release: async () => undefined };
  const send: SendPart = async (_url, { from, to }, { onProgress }) => {
    onProgress((to - from) / 2);
    return '"e"';
  };
  const upload = { target: { bucket: 'a', key: 'k' }, source, fields: {}, concurrency: 1 };
  const { signal } = new AbortController();
  const onProgress = (sent: number) => reported.push(sent);
  const deps = { http, send, fetch, random: () => 0 };
  await uploadParts(deps, { ...upload, onProgress, signal });
  const halves = [0.5, 1, 1.5, 2].map((each) => each * PART);
  expect(reported).toEqual([...halves, 2.5 * PART - 0.5, LARGE.size]);
});

test('a completion of an upload that S3 does not know is done when it is committed', async () => {
  const { upload } = scripted({ 'POST s3': () => coded('NoSuchUpload', 404) });
  expect(await upload(LARGE)).toEqual(DESCRIPTOR);
});

test('a signal ends the completion with its reason', async () => {
  const stop = new AbortController();
  const { failing } = scripted({
    'POST s3': () => {
      stop.abort(new Error('enough'));
      return failed();
    },
  });
  expect(await failing(LARGE, { signal: stop.signal })).toMatchObject({ message: 'enough' });
});

test('an upload that is saved elsewhere is ended by its id', async () => {
  const { client, requests, names } = scripted();
  await client.abortUpload({ bucket: 'a', key: 'k', uploadId: 'u' });
  expect(names()).toEqual(['POST signed-url', 'DELETE s3']);
  expect(requests[0]?.body).toMatchObject({ key: 'k', multipart: { upload_id: 'u' } });
});

test.each<[string, () => Promise<Response> | Response, string]>([
  ['404', refusal(404), 'not_found'],
  ['no response', failed, 'network'],
])('the end of an upload that gets %s is an error', async (_, answer, code) => {
  const { client } = scripted({ 'DELETE s3': answer });
  const ended = client.abortUpload({ bucket: 'a', key: 'k', uploadId: 'u' });
  await expect(ended).rejects.toMatchObject({ code });
});
