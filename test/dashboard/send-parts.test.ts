/** An upload in parts: what is sent, what is sent again, and what an interruption leaves to do. */
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

function world(send: SendPart) {
  const saved = new Map<number, string>();
  const told: number[] = [];
  const controller = new AbortController();
  const deps: SendPartsDeps = {
    send,
    save: async (number, etag) => {
      saved.set(number, etag);
    },
    sleep: async () => undefined,
    random: () => 0.5,
  };
  const options = { progress: (bytes: number) => told.push(bytes), signal: controller.signal };
  let signings = 0;
  const urls = new SignedUrls(upload, async (before) => {
    signings += 1;
    const parts = before.parts.map(({ number }) => ({ number, url: `again ${number}` }));
    return { ...before, parts };
  });
  return { saved, told, controller, deps, options, urls, signings: () => signings };
}

test('every byte is sent once, a few parts at a time, and the whole is told', async () => {
  const bytes = new Map<string, number[]>();
  let now = 0;
  let most = 0;
  const { deps, options, told, saved, urls } = world(async (url, blob, progress) => {
    most = Math.max(most, ++now);
    bytes.set(url, [...new Uint8Array(await blob.arrayBuffer())]);
    progress(blob.size);
    now -= 1;
    return `"${url}"`;
  });
  const finished = await sendParts(urls, FILE, new Map(), deps, options);
  const whole = upload.parts.flatMap(({ url }) => bytes.get(url) ?? []);
  expect(whole).toEqual(Array.from({ length: 95 }, (_, index) => index));
  expect(most).toBeLessThanOrEqual(4);
  expect(told.at(-1)).toBe(95);
  expect(Math.max(...told)).toBe(95);
  expect(finished).toEqual(saved);
  expect(completionOf(upload, finished)).toContain(
    '<Part><PartNumber>10</PartNumber><ETag>"u10"</ETag></Part>',
  );
});

test('only what is missing is sent after an interruption', async () => {
  const sent: string[] = [];
  const { deps, options, urls } = world(async (url) => {
    sent.push(url);
    return url;
  });
  const done = new Map([1, 2, 3, 4, 5, 6, 7, 9].map((number) => [number, `old${number}`]));
  const finished = await sendParts(urls, FILE, done, deps, options);
  expect(sent.sort()).toEqual(['u10', 'u8']);
  expect(finished.get(9)).toBe('old9');
});

test('a part that fails for a while is sent again; what was sent stays saved when it fails for good', async () => {
  const tries = new Map<string, number>();
  const { deps, options, saved, urls } = world(async (url) => {
    const count = (tries.get(url) ?? 0) + 1;
    tries.set(url, count);
    if (url === 'u2' && count < 4) throw partErrorOf(503);
    if (url === 'u9') throw partErrorOf(0);
    return url;
  });
  await expect(sendParts(urls, FILE, new Map(), deps, options)).rejects.toThrow(PartError);
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
])('status %i is %s', (status, failure) => {
  expect(partErrorOf(status).failure).toBe(failure);
});

test('credentials that ran out before the URL are another URL’s business too', () => {
  const body = '<Error><Code>ExpiredToken</Code></Error>';
  expect(partErrorOf(400, body).failure).toBe('expired');
});

test('URLs that have run out are asked for once, by all parts that are under way', async () => {
  const sent: string[] = [];
  const { deps, options, urls, signings } = world(async (url) => {
    sent.push(url);
    // As after an hour, in the middle.
    if (/^u([5-9]|10)$/.test(url)) throw partErrorOf(403);
    return url;
  });
  const finished = await sendParts(urls, FILE, new Map(), deps, options);
  expect(signings()).toBe(1);
  expect(finished.get(1)).toBe('u1');
  expect(finished.get(10)).toBe('again 10');
  expect(sent.filter((url) => url.startsWith('again'))).toHaveLength(6);
  expect(urls.upload.parts[0]?.url).toBe('again 1');
});

test('what the store does not take with new URLs either fails', async () => {
  const { deps, options, urls, signings } = world(async () => {
    throw partErrorOf(403);
  });
  await expect(sendParts(urls, FILE, new Map(), deps, options)).rejects.toThrow(PartError);
  expect(signings()).toBe(1);
});

test('an upload that cannot be signed again ends with the reason', async () => {
  const { deps, options } = world(async () => {
    throw partErrorOf(403);
  });
  const refusing = new SignedUrls(upload, async () => {
    throw new PartError('refused', 'it begins anew');
  });
  await expect(sendParts(refusing, FILE, new Map(), deps, options)).rejects.toThrow('begins anew');
});

test('an abort ends all parts with its own reason', async () => {
  const { deps, options, controller, urls } = world(
    (_url, _blob, _progress, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      ),
  );
  const sending = sendParts(urls, FILE, new Map(), deps, options);
  controller.abort(new Error('cancelled by hand'));
  await expect(sending).rejects.toThrow('cancelled by hand');
});

test('the last part ends with the file, and a missing part cannot be completed', () => {
  expect(rangeOf(upload, 10)).toEqual({ from: 90, to: 95 });
  expect(() => completionOf(upload, new Map())).toThrow('part 1');
});

test.each(['', 'a\u0000', '../x', 'a/./b', 'ü'.repeat(451), '\ud800'])('%j is no key', (key) => {
  expect(keyError(key)).toBeDefined();
});

test.each(['a', 'a//b', '/a/', '<img src=x>', 'ü'.repeat(200)])('%j is a key', (key) => {
  expect(keyError(key)).toBeUndefined();
});
