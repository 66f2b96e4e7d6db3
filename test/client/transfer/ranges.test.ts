/** Ranges of an object, received through responses that end early, stall, or are wrong. */
import type { NodeRequests, Received } from '../../../client/transfer/node-requests';
import {
  type Answer,
  bytes,
  hanging,
  INLINE,
  LARGE,
  MiB,
  OBJECT,
  receiving,
  SIGNED,
  type World,
} from './support/scripted-range';

const AUTHORIZED = { authorization: 'Bearer osk_1', 'if-match': '"e"' };
const sign: Answer = () => Response.json(SIGNED);
const INVALID = { code: 'invalid_answer' };
const LOST = { code: 'network' };

/** Signatures, each followed by this response of S3. */
const fromS3 = (s3: Answer) => Array.from({ length: 60 }, (_, n) => (n % 2 ? s3 : sign));

test('a whole object is requested by version and etag, without a range', async () => {
  const { done, asked, received } = receiving([bytes('abcdef')]);
  await done;
  expect(received).toEqual([[0, 'abcdef']]);
  expect(asked).toEqual([[INLINE, AUTHORIZED]]);
});

test.each([
  [{ from: 2, to: 4 }, 'cd', 'bytes=2-3'],
  [{ from: 0, to: 4 }, 'abcd', 'bytes=0-3'],
  [{ from: 2, to: 6 }, 'cdef', 'bytes=2-5'],
])('the bytes %j are requested by a range', async (wanted, text, range) => {
  const { done, asked, received } = receiving([bytes(text, 206)], { wanted });
  await done;
  expect(received).toEqual([[wanted.from, text]]);
  expect(asked).toEqual([[INLINE, { ...AUTHORIZED, range }]]);
});

test('a response without an etag is accepted by its status', async () => {
  const { done, received } = receiving([bytes('abcdef', 200, {})]);
  await done;
  expect(received).toEqual([[0, 'abcdef']]);
});

test('an empty range sends no request', async () => {
  const { done, asked } = receiving([bytes('')], { wanted: { from: 6, to: 6 } });
  await done;
  expect(asked).toEqual([]);
});

test.each([
  ['4 MiB comes from the service', 4 * MiB, [INLINE]],
  ['more than 4 MiB comes from S3', 4 * MiB + 1, [`${INLINE}&redirect=false`, SIGNED.url]],
])('an object of %s', async (_, size, addresses) => {
  const answers = [...(addresses.length > 1 ? [sign] : []), bytes('ab', 206)];
  const object = { ...OBJECT, size };
  const { done, asked } = receiving(answers, { object, wanted: { from: 1, to: 3 } });
  await done;
  expect(asked.map(([address]) => address)).toEqual(addresses);
  expect(asked[0]?.[1]).toMatchObject(AUTHORIZED);
  expect(asked.at(-1)?.[1]).toMatchObject({ range: 'bytes=1-2' });
  if (asked.length > 1) expect(asked[1]?.[1]).toEqual({ range: 'bytes=1-2' });
});

test('a whole object is requested from S3 without a range', async () => {
  const wanted = { from: 0, to: LARGE.size };
  const content = bytes('x'.repeat(LARGE.size));
  const { done, asked } = receiving([sign, content], { object: LARGE, wanted });
  await done;
  expect(asked[1]).toEqual([SIGNED.url, {}]);
});

test('a URL that S3 refuses is signed again', async () => {
  const again: Answer = () => Response.json({ url: `${SIGNED.url}2` });
  const answers = [sign, bytes('expired', 403), again, bytes('ab', 206)];
  const { done, asked, received } = receiving(answers, {
    ...{ object: LARGE, wanted: { from: 0, to: 2 } },
  });
  await done;
  expect(asked.at(-1)?.[0]).toBe(`${SIGNED.url}2`);
  expect(received).toEqual([[0, 'ab']]);
});

const WHOLE_OF_S3 = { object: LARGE, wanted: { from: 0, to: LARGE.size } };

test.each<[string, readonly Answer[], World, object]>([
  ['a signature without a URL', [() => Response.json({})], { object: LARGE }, INVALID],
  ['a signature that is no record', [() => Response.json([])], { object: LARGE }, INVALID],
  ['another version', [bytes('abcdef', 200, { etag: '"f"' })], {}, INVALID],
  ['a part in place of the whole', [bytes('abcdef', 206)], {}, INVALID],
  ['the whole in place of a part', [bytes('ab')], { wanted: { from: 0, to: 2 } }, INVALID],
  ['an empty body', [bytes('', 206)], { wanted: { from: 1, to: 2 } }, LOST],
  ['an unexpected status', [bytes('abcdef', 299)], {}, INVALID],
  ['no response', [() => Promise.reject(new TypeError('lost'))], {}, LOST],
  ['nothing more after its first bytes', [bytes('a'), bytes('', 206)], {}, LOST],
  ['an unexpected status of S3', fromS3(bytes('x', 299)), WHOLE_OF_S3, INVALID],
  [
    'a refusal of S3 for every URL',
    fromS3(bytes('expired', 403)),
    { object: LARGE },
    { code: 'unavailable' },
  ],
])('a download fails after several attempts that get %s', async (_, answers, world, error) => {
  const { done, asked } = receiving(answers, world);
  await expect(done).rejects.toMatchObject(error);
  expect(asked.length).toBeGreaterThan(4);
});

test.each<[string, Answer, object]>([
  [
    'a Content-Encoding',
    bytes('abcdef', 200, { 'content-encoding': 'br' }),
    { code: 'invalid_request' },
  ],
  ['more bytes than the object has', bytes('abcdefg'), { code: 'invalid_request' }],
  ['the refusal of the service', () => Response.json({}, { status: 403 }), { code: 'forbidden' }],
])('a download fails at once when it gets %s', async (_, answer, error) => {
  const { done, asked, received } = receiving([answer]);
  await expect(done).rejects.toMatchObject(error);
  expect([asked.length, received]).toEqual([1, []]);
});

test('a download whose bytes move may fail any number of times', async () => {
  const failing = Array.from({ length: 6 }, () => bytes('', 206));
  const answers = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((byte, at) => [
    ...[bytes(byte, at === 0 ? 200 : 206), ...failing],
  ]);
  const { done, received } = receiving(answers);
  await done;
  expect(received.map(([at, text]) => `${at}${text}`).join()).toBe('0a,1b,2c,3d,4e,5f');
});

test('a download ends with the error of its target', async () => {
  const full = new Error('full');
  const take = () => {
    throw full;
  };
  const { done, asked } = receiving([bytes('abcdef')], { take });
  await expect(done).rejects.toBe(full);
  expect(asked).toHaveLength(1);
});

test('a download ends with the reason of its signal', async () => {
  const stop = new AbortController();
  const { done, asked } = receiving([hanging], { signal: stop.signal });
  setImmediate(() => stop.abort(new Error('enough')));
  await expect(done).rejects.toThrow('enough');
  expect(asked).toHaveLength(1);
});

/** A body that brings three bytes, and then nothing. */
const stalling: Answer = (signal) => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('abc'));
      signal.addEventListener('abort', () => controller.error(signal.reason));
    },
  });
  return new Response(body, { headers: { etag: '"e"' } });
};

test.each<[string, readonly Answer[], readonly (readonly [number, string])[]]>([
  ['a response', [hanging, bytes('abcdef')], [[0, 'abcdef']]],
  [
    'a byte',
    [stalling, bytes('def', 206)],
    [
      [0, 'abc'],
      [3, 'def'],
    ],
  ],
])('a download that gets no %s for a minute continues by another request', async (...row) => {
  const [, answers, pieces] = row;
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  try {
    const { done, asked, received } = receiving(answers);
    await jest.advanceTimersByTimeAsync(30_000);
    expect(asked).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(60_000);
    await done;
    expect(received).toEqual(pieces);
  } finally {
    jest.useRealTimers();
  }
});

/** Requests of Node.js that are answered by these responses. */
function nodeOf(...answers: readonly (readonly [status: number, body: string])[]) {
  const asked: [address: string, headers: object][] = [];
  const node: NodeRequests = {
    start: (method, address, headers) => {
      if (method !== 'GET') throw new Error(method);
      asked.push([address, headers]);
      const [status, body] = answers[Math.min(asked.length, answers.length) - 1] ?? [500, ''];
      const pieces = body === '' ? [] : [Buffer.from(body)];
      const response: Received = {
        ...{ status, headers: new Headers({ etag: '"e"' }), isRaw: true },
        read: async () => pieces.shift(),
        text: async () => body,
        cancel: async () => undefined,
      };
      const request = { end: () => undefined } as ReturnType<NodeRequests['start']>['request'];
      return { request, response: Promise.resolve(response) };
    },
  };
  return { node, asked };
}

test('Node.js requests bytes from the service without fetch, with the API key', async () => {
  const { node, asked } = nodeOf([206, 'cd']);
  const { done, received } = receiving([], { node, wanted: { from: 2, to: 4 } });
  await done;
  expect(received).toEqual([[2, 'cd']]);
  expect(asked).toEqual([[INLINE, { ...AUTHORIZED, range: 'bytes=2-3' }]]);
});

test('Node.js requests bytes from S3 without fetch, and without the API key', async () => {
  const { node, asked } = nodeOf([403, 'expired'], [206, 'cd']);
  const world = { node, object: LARGE, wanted: { from: 2, to: 4 } };
  const { done, received } = receiving([sign], world);
  await done;
  expect(received).toEqual([[2, 'cd']]);
  for (const request of asked) expect(request).toEqual([SIGNED.url, { range: 'bytes=2-3' }]);
});

test.each([
  [404, '{"error":{"code":"not_found","message":"gone"}}', 'not_found'],
  [412, '', 'precondition_failed'],
  [199, '', 'invalid_answer'],
  [300, '', 'invalid_answer'],
])('status %i of the service fails a download by Node.js', async (status, body, code) => {
  const { node } = nodeOf([status, body]);
  await expect(receiving([], { node }).done).rejects.toMatchObject({ code, status });
});
