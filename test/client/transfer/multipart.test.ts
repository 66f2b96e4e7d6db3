/** Uploads in parts whose requests fail, and that are continued or ended, by a script. */
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

test('each part is sent to its URL, and the completion names the parts in order', async () => {
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

test('each part that S3 has is saved, and the saved upload is cleared in the end', async () => {
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

test('a saved upload is continued with its missing parts', async () => {
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

/** The state of an upload: pending the first time, then committed. */
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
])('a saved upload with another %s is not continued', async (_, other, { source = LARGE }) => {
  const world = scripted({ 'GET uploads': oncePending() }, { ...SAVED, ...other });
  await world.upload(source, { resume: world.resume, partSize: PART });
  expect(Object(world.named('POST signed-url').at(-1)?.body).multipart).toEqual({
    ...{ size: LARGE.size, part_size: PART },
  });
  expect(world.named('PUT s3')).toHaveLength(3);
});

test('a saved upload that S3 has ended is sent again from the start', async () => {
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

test.each([1, 3])(
  'a saved upload that is committed after %i requests for its state succeeds',
  async (times) => {
    const state = (_: unknown, nth: number) => (nth > times ? committed() : pending());
    const { upload, resume, named, progress } = scripted(
      { 'GET uploads': state, 'PUT s3': () => coded('NoSuchUpload', 404) },
      SAVED,
    );
    expect(await upload(LARGE, { resume, partSize: PART })).toEqual(DESCRIPTOR);
    expect(named('PUT s3')).toHaveLength(1);
    expect(progress.at(-1)).toBe(LARGE.size);
  },
);

test('a saved upload that S3 has removed and nobody commits is sent again', async () => {
  const begun = Date.now();
  let steps = 0;
  const { upload, resume, named } = scripted(
    {
      'GET uploads': (_, nth) => {
        steps += 1;
        return nth < 4 ? pending() : committed();
      },
      'PUT s3': (_, nth) => (nth === 1 ? coded('NoSuchUpload', 404) : part()),
    },
    SAVED,
  );
  jest.spyOn(Date, 'now').mockImplementation(() => begun + steps * 20_000);
  expect(await upload(LARGE, { resume, partSize: PART })).toEqual(DESCRIPTOR);
  expect(named('PUT s3')).toHaveLength(4);
});

test('a saved upload whose parts are all in S3 stays saved until it is committed', async () => {
  const begun = Date.now();
  let steps = 0;
  const { failing, resume, named, states } = scripted(
    {
      'GET uploads': () => {
        steps += 1;
        return pending();
      },
      'POST s3': () => coded('NoSuchUpload', 404),
    },
    { ...SAVED, etags: { 1: '"one"', 2: '"two"', 3: '"three"' } },
  );
  jest.spyOn(Date, 'now').mockImplementation(() => begun + steps * 130_000);
  expect(await failing(LARGE, { resume, partSize: PART })).toMatchObject({ code: 'unavailable' });
  expect(named('PUT s3')).toEqual([]);
  expect(states.at(-1)).toMatchObject({ uploadId: 'saved' });
});

test('a new upload that S3 does not know fails with not_found', async () => {
  const { failing, names } = scripted({ 'PUT s3': () => coded('NoSuchUpload', 404) });
  expect(await failing(LARGE)).toMatchObject({ code: 'not_found' });
  expect(names()).not.toContain('GET uploads');
});

test('a part that cannot be sent by several attempts fails the upload', async () => {
  const { failing, named } = scripted({ 'PUT s3': failed });
  expect(await failing(LARGE)).toMatchObject({ code: 'network' });
  expect(named('PUT s3').length).toBeGreaterThan(4);
});

test.each<[string, number, boolean, string[]]>([
  ['temporary failure stays saved', 503, true, []],
  ['permanent failure is cleared and ended', 400, true, ['POST signed-url', 'DELETE s3']],
  ['temporary failure is ended when it is not saved', 503, false, ['POST signed-url', 'DELETE s3']],
])('an upload with a %s', async (_, status, isSaved, end) => {
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

test('the failure of an upload is thrown even when the upload cannot be ended', async () => {
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
])(
  'with signsAgain %p the URLs are signed %i times, and a failure to sign again is ignored',
  async (signsAgain, times) => {
    const world = scripted();
    await world.upload(LARGE, { signsAgain });
    expect(world.named('POST signed-url')).toHaveLength(times);
    const other = scripted({
      'POST signed-url': (_, nth) => (nth > 1 ? refusal(403)() : undefined),
    });
    expect(await other.upload(LARGE, { signsAgain })).toEqual(DESCRIPTOR);
  },
);

/** The responses of S3 to the completions, one after the other, and the outcome. */
test.each<[string, (() => Promise<Response> | Response)[], string]>([
  ['an error in a response of 200', [() => coded('InternalError', 200)], 'done'],
  ['503', [refusal(503)], 'done'],
  ['no response', [failed], 'done'],
  ['412', [refusal(412)], 'done'],
  ['InvalidPart', [() => coded('InvalidPart', 400)], 'invalid_request'],
  ['403 for two URLs', [refusal(403), refusal(403)], 'forbidden'],
  ['503 every time', Array(99).fill(refusal(503)), 'unavailable'],
])('an upload whose completion gets %s succeeds or throws: %#', async (_, answers, outcome) => {
  const { failing } = scripted({
    'POST s3': (_body, nth) => answers[nth - 1]?.() ?? new Response(''),
  });
  expect((await failing(LARGE))?.code ?? 'done').toBe(outcome);
});

/** The error after two minutes without a commit, by the responses to the completions. */
test.each<[string, (() => Promise<Response> | Response)[], string]>([
  ['NoSuchUpload', [unknown], 'not_found'],
  ['NoSuchUpload after a refused URL', [refusal(403), unknown], 'not_found'],
  ['NoSuchUpload after 503', [refusal(503), unknown], 'unavailable'],
  ['NoSuchUpload after no response', [failed, unknown], 'unavailable'],
  ['412', [refusal(412)], 'unavailable'],
  ['200', [() => new Response('')], 'unavailable'],
])('an upload that is not committed in time, whose completion got %s', async (_, answers, code) => {
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

test('a completion that gets no response for minutes is sent again', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  try {
    const never = ({ signal }: RequestInit) =>
      new Promise<Response>((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason)),
      );
    const { upload, named } = scripted({
      'POST s3': (_, nth, init) => (nth > 1 ? new Response('') : never(init)),
    });
    const uploaded = upload(LARGE);
    while (named('POST s3').length === 0) await new Promise(setImmediate);
    await jest.advanceTimersByTimeAsync(600_000);
    expect(await uploaded).toEqual(DESCRIPTOR);
  } finally {
    jest.useRealTimers();
  }
});

test('a saved upload that S3 refuses is not sent again from the start', async () => {
  const script = { 'GET uploads': pending, 'PUT s3': refusal(400) };
  const { failing, resume, named } = scripted(script, SAVED);
  const error = await failing(LARGE, { resume, partSize: PART });
  expect(error).toMatchObject({ code: 'invalid_request' });
  const ids = named('POST signed-url').map(({ body }) => Object(body).multipart.upload_id);
  expect(ids).toEqual(['saved', 'saved']);
});

test('onProgress reports the bytes within a part', async () => {
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

test('an upload that S3 does not know at its completion succeeds when it is committed', async () => {
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

test('abortUpload ends an upload by its id', async () => {
  const { client, requests, names } = scripted();
  await client.abortUpload({ bucket: 'a', key: 'k', uploadId: 'u' });
  expect(names()).toEqual(['POST signed-url', 'DELETE s3']);
  expect(requests[0]?.body).toMatchObject({ key: 'k', multipart: { upload_id: 'u' } });
});

test.each<[string, () => Promise<Response> | Response, string]>([
  ['404', refusal(404), 'not_found'],
  ['no response', failed, 'network'],
])('abortUpload throws when it gets %s: %#', async (_, answer, code) => {
  const { client } = scripted({ 'DELETE s3': answer });
  const ended = client.abortUpload({ bucket: 'a', key: 'k', uploadId: 'u' });
  await expect(ended).rejects.toMatchObject({ code });
});
