/** Ranges of an object that are received, through responses that end, stall or are others'. */
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

test('a whole object is asked for by version and etag', async () => {
  const { done, asked, received } = receiving([bytes('abcdef')]);
  await done;
  expect(received).toEqual([[0, 'abcdef']]);
  expect(asked).toEqual([[INLINE, AUTHORIZED]]);
});

test.each([
  [{ from: 2, to: 4 }, 'cd', 'bytes=2-3'],
  [{ from: 0, to: 4 }, 'abcd', 'bytes=0-3'],
  [{ from: 2, to: 6 }, 'cdef', 'bytes=2-5'],
])('the bytes %j are asked for by a range', async (wanted, text, range) => {
  const { done, asked, received } = receiving([bytes(text, 206)], { wanted });
  await done;
  expect(received).toEqual([[wanted.from, text]]);
  expect(asked).toEqual([[INLINE, { ...AUTHORIZED, range }]]);
});

test('a response without an etag is taken by its status', async () => {
  const { done, received } = receiving([bytes('abcdef', 200, {})]);
  await done;
  expect(received).toEqual([[0, 'abcdef']]);
});

test('nothing is asked for an empty range', async () => {
  const { done, asked } = receiving([bytes('')], { wanted: { from: 6, to: 6 } });
  await done;
  expect(asked).toEqual([]);
});

test.each([
  ['4 MiB comes from the service', 4 * MiB, [INLINE]],
  ['more comes from S3', 4 * MiB + 1, [`${INLINE}&redirect=false`, SIGNED.url]],
])('an object of %s', async (_, size, addresses) => {
  const answers = addresses.map(() => bytes('ab', 206));
  if (addresses.length > 1) answers[0] = () => Response.json(SIGNED);
  const object = { ...OBJECT, size };
  const { done, asked } = receiving(answers, { object, wanted: { from: 1, to: 3 } });
  await done;
  expect(asked.map(([address]) => address)).toEqual(addresses);
  expect(asked[0]?.[1]).toMatchObject(AUTHORIZED);
  expect(asked.at(-1)?.[1]).toMatchObject({ range: 'bytes=1-2' });
  if (asked.length > 1) expect(asked[1]?.[1]).toEqual({ range: 'bytes=1-2' });
});

test('a whole object is asked of S3 without a range', async () => {
  const content = 'x'.repeat(LARGE.size);
  const answers = [() => Response.json(SIGNED), bytes(content)];
  const { done, asked } = receiving(answers, {
    object: LARGE,
    wanted: { from: 0, to: LARGE.size },
  });
  await done;
  expect(asked[1]).toEqual([SIGNED.url, {}]);
});

test('a URL that S3 refuses is signed again', async () => {
  const answers = [() => Response.json(SIGNED), bytes('expired', 403)];
  const more = [() => Response.json({ url: `${SIGNED.url}2` }), bytes('ab', 206)];
  const world = { object: LARGE, wanted: { from: 0, to: 2 } };
  const { done, asked, received } = receiving([...answers, ...more], world);
  await done;
  expect(asked.map(([address]) => address)).toEqual([
    ...[`${INLINE}&redirect=false`, SIGNED.url],
    ...[`${INLINE}&redirect=false`, `${SIGNED.url}2`],
  ]);
  expect(received).toEqual([[0, 'ab']]);
});

test.each<[string, Answer, World, object]>([
  ['a signature without a URL', () => Response.json({}), { object: LARGE }, ANSWER()],
  ['a signature that is no record', () => Response.json([]), { object: LARGE }, ANSWER()],
  ['another version', bytes('abcdef', 200, { etag: '"f"' }), {}, ANSWER()],
  ['a part in place of the whole', bytes('abcdef', 206), {}, ANSWER()],
  ['the whole in place of a part', bytes('ab'), { wanted: { from: 0, to: 2 } }, ANSWER()],
  ['an early end, again and again', bytes('', 206), { wanted: { from: 1, to: 2 } }, NETWORK()],
  ['a status of its own', bytes('abcdef', 299), {}, ANSWER()],
  ['a lost connection', () => Promise.reject(new TypeError('lost')), {}, NETWORK()],
])('a download is tried 8 times when it gets %s', async (_, answer, world, error) => {
  const { done, asked } = receiving([answer], world);
  await expect(done).rejects.toMatchObject(error);
  expect(asked).toHaveLength(8);
});

function ANSWER() {
  return { code: 'invalid_answer' };
}
function NETWORK() {
  return { code: 'network' };
}

test.each<[string, Answer, object]>([
  [
    'a Content-Encoding',
    bytes('abcdef', 200, { 'content-encoding': 'br' }),
    { code: 'invalid_request' },
  ],
  ['more bytes than the object has', bytes('abcdefg'), { code: 'invalid_request' }],
  ['the refusal of the service', () => Response.json({}, { status: 403 }), { code: 'forbidden' }],
])('a download ends at once when it gets %s', async (_, answer, error) => {
  const { done, asked, received } = receiving([answer]);
  await expect(done).rejects.toMatchObject(error);
  expect([asked.length, received]).toEqual([1, []]);
});

test('a response of S3 with a status of its own is not that of the range', async () => {
  const s3 = bytes('x'.repeat(LARGE.size), 299);
  const answers = Array.from({ length: 16 }, (_, n) => (n % 2 ? s3 : () => Response.json(SIGNED)));
  const world = { object: LARGE, wanted: { from: 0, to: LARGE.size } };
  await expect(receiving(answers, world).done).rejects.toMatchObject(ANSWER());
});

test('S3 that refuses every URL is unavailable', async () => {
  const s3: Answer = () => new Response('expired', { status: 403 });
  const answers = Array.from({ length: 16 }, (_, n) => (n % 2 ? s3 : () => Response.json(SIGNED)));
  const { done, asked } = receiving(answers, { object: LARGE });
  await expect(done).rejects.toMatchObject({ code: 'unavailable' });
  expect(asked).toHaveLength(16);
});

test('a download that fails after its first bytes begins to count again', async () => {
  const failing = Array.from({ length: 7 }, () => bytes('', 206));
  const answers = [bytes('a'), ...failing, bytes('b', 206), ...failing, bytes('cdef', 206)];
  const { done, asked } = receiving(answers);
  await done;
  expect(asked).toHaveLength(17);
});

test('a download that gets nothing more after its first bytes is tried 8 times more', async () => {
  const { done, asked } = receiving([bytes('a'), bytes('', 206)]);
  await expect(done).rejects.toMatchObject({ code: 'network' });
  expect(asked).toHaveLength(9);
});

test('a request ends with its range, and does not listen to the signal any more', async () => {
  const { signal } = new AbortController();
  const [add, remove] = [jest.spyOn(signal, 'addEventListener'), jest.fn()];
  jest.spyOn(signal, 'removeEventListener').mockImplementation(remove);
  const signals: AbortSignal[] = [];
  const answer: Answer = (given) => {
    signals.push(given);
    return bytes('abcdef')(given);
  };
  await receiving([answer], { signal }).done;
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(remove).toHaveBeenCalledTimes(add.mock.calls.length);
  jest.restoreAllMocks();
});

test('a download ends with what the target throws', async () => {
  const full = new Error('full');
  const take = () => {
    throw full;
  };
  const { done, asked } = receiving([bytes('abcdef')], { take });
  await expect(done).rejects.toBe(full);
  expect(asked).toHaveLength(1);
});

test('a download that moves may fail any number of times', async () => {
  const object = { ...OBJECT, size: 12 };
  const answers = Array.from({ length: 12 }, (_, at) => bytes('x', at === 0 ? 200 : 206));
  const { done, asked } = receiving(answers, { object, wanted: { from: 0, to: 12 } });
  await done;
  expect(asked.map(([, headers]) => Object(headers).range)).toEqual([
    undefined,
    ...Array.from({ length: 11 }, (_, n) => `bytes=${n + 1}-11`),
  ]);
});

describe('with the clock of the test', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('a response that does not come within a minute is asked for again', async () => {
    const { done, asked, received } = receiving([hanging, bytes('abcdef')]);
    await jest.advanceTimersByTimeAsync(59_999);
    expect(asked).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(2);
    await done;
    expect([asked.length, received]).toEqual([2, [[0, 'abcdef']]]);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('a body that stalls for a minute is continued by another request', async () => {
    const stalling: Answer = (signal) => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.from('abc'));
          signal.addEventListener('abort', () => controller.error(signal.reason));
        },
      });
      return new Response(body, { headers: { etag: '"e"' } });
    };
    const { done, asked, received } = receiving([stalling, bytes('def', 206)]);
    await jest.advanceTimersByTimeAsync(59_999);
    expect(asked).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(2);
    await done;
    expect(received).toEqual([
      [0, 'abc'],
      [3, 'def'],
    ]);
    expect(asked[1]?.[1]).toMatchObject({ range: 'bytes=3-5' });
  });
});

test('the signal ends a download with its reason', async () => {
  const stop = new AbortController();
  const { done, asked } = receiving([hanging], { signal: stop.signal });
  setImmediate(() => stop.abort(new Error('enough')));
  await expect(done).rejects.toThrow('enough');
  expect(asked).toHaveLength(1);
});

/** Node.js' requests that are answered by these responses. */
function nodeOf(...answers: readonly (readonly [status: number, body: string])[]) {
  const asked: [address: string, headers: object][] = [];
  let ended = 0;
  let cancelled = 0;
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
        cancel: async () => void cancelled++,
      };
      const request = { end: () => void ended++ } as unknown as ReturnType<
        NodeRequests['start']
      >['request'];
      return { request, response: Promise.resolve(response) };
    },
  };
  return { node, asked, counts: () => ({ ended, cancelled }) };
}

test('Node.js asks the service by its own requests, with the API key', async () => {
  const { node, asked, counts } = nodeOf([206, 'cd']);
  const { done, received } = receiving([], { node, wanted: { from: 2, to: 4 } });
  await done;
  expect(received).toEqual([[2, 'cd']]);
  expect(asked).toEqual([[INLINE, { ...AUTHORIZED, range: 'bytes=2-3' }]]);
  expect(counts()).toEqual({ ended: 1, cancelled: 1 });
});

test('Node.js asks S3 by its own requests, without the API key', async () => {
  const { node, asked } = nodeOf([403, 'expired'], [206, 'cd']);
  const world = { node, object: LARGE, wanted: { from: 2, to: 4 } };
  const { done, received } = receiving([() => Response.json(SIGNED)], world);
  await done;
  expect(received).toEqual([[2, 'cd']]);
  const headers = { range: 'bytes=2-3' };
  expect(asked).toEqual([
    [SIGNED.url, headers],
    [SIGNED.url, headers],
  ]);
});

test.each([
  [404, '{"error":{"code":"not_found","message":"gone"}}', 'not_found'],
  [412, '', 'precondition_failed'],
  [199, '', 'invalid_answer'],
  [300, '', 'invalid_answer'],
])('the refusal %i of the service ends a download by Node.js', async (status, body, code) => {
  const { node } = nodeOf([status, body]);
  await expect(receiving([], { node }).done).rejects.toMatchObject({ code, status });
});
