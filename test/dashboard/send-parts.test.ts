/** Uploads in parts: what is sent, what is retried, and what is saved after an interruption. */
import {
  completionOf,
  keyError,
  type PartedUpload,
  rangeOf,
} from '../../dashboard/src/upload/plan';
import { PartError, partErrorOf, type SendPart } from '../../dashboard/src/upload/send-part';
import { type SendPartsDeps, sendParts } from '../../dashboard/src/upload/send-parts';
import { SignedUrls } from '../../dashboard/src/upload/signed-urls';

const FILE = new Blob([Uint8Array.from({ length: 95 }, (_, index) => index)]);

const upload: PartedUpload = {
  id: 'u1',
  bucket: 'b',
  key: 'k',
  file: { name: 'k', size: 95, lastModified: 0 },
  partSize: 10,
  parts: Array.from({ length: 10 }, (_, index) => ({ number: index + 1, url: `u${index + 1}` })),
  complete: { url: 'c', method: 'POST', headers: {} },
  abort: { url: 'a', method: 'DELETE', headers: {} },
  mayReplace: false,
  expiresAt: 1000,
};

function setUp(send: SendPart) {
  const saved = new Map<number, string>();
  const reported: number[] = [];
  const controller = new AbortController();
  const deps: SendPartsDeps = {
    send,
    save: async (number, etag) => {
      saved.set(number, etag);
    },
    sleep: async () => undefined,
    random: () => 0.5,
  };
  const options = { progress: (bytes: number) => reported.push(bytes), signal: controller.signal };
  let signings = 0;
  const urls = new SignedUrls(upload, async (before) => {
    signings += 1;
    const parts = before.parts.map(({ number }) => ({ number, url: `again ${number}` }));
    return { ...before, parts };
  });
  return { saved, reported, controller, deps, options, urls, signings: () => signings };
}

test('sendParts sends every byte once, in at most four requests at a time, with progress', async () => {
  const bytes = new Map<string, number[]>();
  let now = 0;
  let maxConcurrency = 0;
  const { deps, options, reported, saved, urls } = setUp(async (url, blob, progress) => {
    maxConcurrency = Math.max(maxConcurrency, ++now);
    bytes.set(url, [...new Uint8Array(await blob.arrayBuffer())]);
    progress(blob.size);
    now -= 1;
    return `"${url}"`;
  });
  const finished = await sendParts({ urls, file: FILE, done: new Map() }, deps, options);
  const whole = upload.parts.flatMap(({ url }) => bytes.get(url) ?? []);
  expect(whole).toEqual(Array.from({ length: 95 }, (_, index) => index));
  expect(maxConcurrency).toBeLessThanOrEqual(4);
  expect(reported.at(-1)).toBe(95);
  expect(Math.max(...reported)).toBe(95);
  expect(finished).toEqual(saved);
  expect(completionOf(upload, finished)).toContain(
    '<Part><PartNumber>10</PartNumber><ETag>"u10"</ETag></Part>',
  );
});

test('sendParts sends only the missing parts after an interruption', async () => {
  const sent: string[] = [];
  const { deps, options, urls } = setUp(async (url) => {
    sent.push(url);
    return url;
  });
  const done = new Map([1, 2, 3, 4, 5, 6, 7, 9].map((number) => [number, `old${number}`]));
  const finished = await sendParts({ urls, file: FILE, done }, deps, options);
  expect(sent.sort()).toEqual(['u10', 'u8']);
  expect(finished.get(9)).toBe('old9');
});

test('sendParts retries temporary failures and keeps finished parts when one fails', async () => {
  const tries = new Map<string, number>();
  const { deps, options, saved, urls } = setUp(async (url) => {
    const count = (tries.get(url) ?? 0) + 1;
    tries.set(url, count);
    if (url === 'u2' && count < 4) throw partErrorOf(503);
    if (url === 'u9') throw partErrorOf(0);
    return url;
  });
  await expect(sendParts({ urls, file: FILE, done: new Map() }, deps, options)).rejects.toThrow(
    PartError,
  );
  expect(tries.get('u2')).toBe(4);
  expect(tries.get('u9')).toBe(8);
  expect(saved.get(2)).toBe('u2');
  expect(saved.has(9)).toBe(false);
});

test.each([
  [403, 'expired'],
  [404, 'refused'],
  [400, 'refused'],
  [429, 'temporary'],
  [500, 'temporary'],
])('partErrorOf maps status %i to %s', (status, failure) => {
  expect(partErrorOf(status).failure).toBe(failure);
});

test('partErrorOf treats expired credentials of a URL as an expired URL', () => {
  const body = '<Error><Code>ExpiredToken</Code></Error>';
  expect(partErrorOf(400, body).failure).toBe('expired');
});

test('sendParts renews expired URLs once for all parts in progress', async () => {
  const sent: string[] = [];
  const { deps, options, urls, signings } = setUp(async (url) => {
    sent.push(url);
    // The URLs expire in the middle of the upload, as after an hour.
    if (/^u([5-9]|10)$/.test(url)) throw partErrorOf(403);
    return url;
  });
  const finished = await sendParts({ urls, file: FILE, done: new Map() }, deps, options);
  expect(signings()).toBe(1);
  expect(finished.get(1)).toBe('u1');
  expect(finished.get(10)).toBe('again 10');
  expect(sent.filter((url) => url.startsWith('again'))).toHaveLength(6);
  expect(urls.upload.parts[0]?.url).toBe('again 1');
});

test('sendParts fails when S3 refuses the renewed URLs too', async () => {
  const { deps, options, urls, signings } = setUp(async () => {
    throw partErrorOf(403);
  });
  await expect(sendParts({ urls, file: FILE, done: new Map() }, deps, options)).rejects.toThrow(
    PartError,
  );
  expect(signings()).toBe(1);
});

test('sendParts fails with the reason why the URLs cannot be renewed', async () => {
  const { deps, options } = setUp(async () => {
    throw partErrorOf(403);
  });
  const refusing = new SignedUrls(upload, async () => {
    throw new PartError('refused', 'it has expired');
  });
  await expect(
    sendParts({ urls: refusing, file: FILE, done: new Map() }, deps, options),
  ).rejects.toThrow('has expired');
});

test('sendParts rejects with the reason of an abort', async () => {
  const { deps, options, controller, urls } = setUp(
    (_url, _blob, _progress, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      ),
  );
  const sending = sendParts({ urls, file: FILE, done: new Map() }, deps, options);
  controller.abort(new Error('cancelled by hand'));
  await expect(sending).rejects.toThrow('cancelled by hand');
});

test('rangeOf ends the last part with the file; completionOf throws when a part is missing', () => {
  expect(rangeOf(upload, 10)).toEqual({ from: 90, to: 95 });
  expect(() => completionOf(upload, new Map())).toThrow('part 1');
});

test.each(['', 'a\u0000', '../x', 'a/./b', 'ü'.repeat(451), '\ud800'])(
  'keyError rejects %j',
  (key) => {
    expect(keyError(key)).toBeDefined();
  },
);

test.each(['a', 'a//b', '/a/', '<img src=x>', 'ü'.repeat(200)])('keyError accepts %j', (key) => {
  expect(keyError(key)).toBeUndefined();
});
