/** Parts that are sent to S3: its responses, connections that are lost, and files that change. */
import { openAsBlob, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StowageError } from '../../../client';
import {
  ExpiredUrl,
  etagOf,
  type PartOptions,
  partSender,
  type SendPart,
  storeError,
} from '../../../client/transfer/send-part';
import { useTemporaryFolder } from '../../support/temporary-folder';

const MiB = 1024 ** 2;
const URL_OF_PART = 'https://s3.example/1';
const PART = { from: 2, to: 4 };
const coded = (code: string) => `<Error><Code>${code}</Code><Message>no</Message></Error>`;
const optionsOf = (signal = new AbortController().signal): PartOptions => ({
  onProgress: () => undefined,
  signal,
});
const LOST = { code: 'network', isTemporary: true };
const lose = () => Promise.reject(new TypeError('fetch failed'));

afterEach(() => jest.useRealTimers());

test.each<[number, string, string, number, boolean]>([
  [403, '', 'forbidden', 403, false],
  [403, coded('AccessDenied'), 'forbidden', 403, false],
  [400, coded('ExpiredToken'), 'forbidden', 403, false],
  [404, coded('NoSuchUpload'), 'not_found', 404, false],
  [400, coded('InvalidPart'), 'invalid_request', 400, false],
  [400, coded('RequestTimeout'), 'unavailable', 503, true],
  [408, '', 'unavailable', 503, true],
  [409, '', 'invalid_request', 409, false],
  [429, '', 'unavailable', 503, true],
  [499, '', 'invalid_request', 499, false],
  [500, coded('InternalError'), 'unavailable', 503, true],
  [503, coded('SlowDown'), 'unavailable', 503, true],
])('a response of S3 with status %i and body %j is %s', (of, body, code, status, isTemporary) => {
  const error = storeError(of, body);
  expect(error).toMatchObject({ code, status, isTemporary });
  expect(error instanceof ExpiredUrl).toBe(code === 'forbidden');
  const head = { status: of, headers: new Headers({ etag: '"e"' }) };
  expect(() => etagOf(head, body)).toThrow(StowageError);
});

test.each([
  [coded('InvalidPart'), 'InvalidPart'],
  ['<Code></Code>', 'status 400'],
  ['', 'status 400'],
])('the error of a response with the body %j names %s', (body, named) => {
  expect(storeError(400, body).message).toContain(named);
});

test.each([200, 204, 299])('a part has the ETag of its response of status %i', (status) => {
  expect(etagOf({ status, headers: new Headers({ etag: '"e"' }) }, '')).toBe('"e"');
});

test('a response whose ETag cannot be read is a permanent error', () => {
  expect(() => etagOf({ status: 200, headers: new Headers() }, '')).toThrow(
    expect.objectContaining({ code: 'invalid_request', isTemporary: false }),
  );
});

test('a part is sent as the bytes of its range', async () => {
  const sent: unknown[] = [];
  const send = partSender(
    async (url, { method, body }) => {
      sent.push([url, method, await new Response(body).text()]);
      return new Response(null, { headers: { etag: '"e"' } });
    },
    new Blob(['abcdef']),
  );
  expect(await send(URL_OF_PART, PART, optionsOf())).toBe('"e"');
  expect(sent).toEqual([[URL_OF_PART, 'PUT', 'cd']]);
});

test('a part that S3 refuses throws the error of the response', async () => {
  const refuse = async () => new Response(coded('AccessDenied'), { status: 403 });
  const send = partSender(refuse, new Blob(['abcdef']));
  await expect(send(URL_OF_PART, PART, optionsOf())).rejects.toBeInstanceOf(ExpiredUrl);
});

test('a part whose connection is lost may be sent again, unless the signal ends it', async () => {
  const stop = new AbortController();
  const send = partSender(lose, new Blob(['abcdef']));
  const cause = new TypeError('fetch failed');
  await expect(send(URL_OF_PART, PART, optionsOf(stop.signal))).rejects.toMatchObject({
    ...{ ...LOST, cause },
  });
  stop.abort(new Error('enough'));
  await expect(send(URL_OF_PART, PART, optionsOf(stop.signal))).rejects.toThrow('enough');
});

test('a part that gets no response counts as lost, later the larger it is', async () => {
  jest.useFakeTimers();
  let lostAt = 0;
  const never = (_: string, { signal }: RequestInit) =>
    new Promise<never>((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        lostAt = Date.now();
        reject(signal.reason);
      });
    });
  const send = partSender(never, new Blob([Buffer.alloc(16 * MiB)]));
  const secondsOf = async (size: number) => {
    const begun = Date.now();
    const sent = send(URL_OF_PART, { from: 0, to: size }, optionsOf());
    const lost = expect(sent).rejects.toMatchObject(LOST);
    await jest.advanceTimersByTimeAsync(3_600_000);
    await lost;
    return (lostAt - begun) / 1000;
  };
  const [small, large] = [await secondsOf(0), await secondsOf(16 * MiB)];
  expect(small).toBeGreaterThan(30);
  expect(large - small).toBeGreaterThan(300);
});

const folder = useTemporaryFolder('send-part');

test.each<[string, () => Promise<Response>, string]>([
  ['gets no response', lose, 'conflict'],
  ['is refused', async () => new Response(coded('Invalid'), { status: 400 }), 'invalid_request'],
])('a part of a file that changes while the part %s', async (_what, answer, code) => {
  const file = path.join(folder, 'file');
  writeFileSync(file, 'before');
  const change = () => {
    writeFileSync(file, 'changed');
    return answer();
  };
  const send = partSender(change, await openAsBlob(file));
  const sent = send(URL_OF_PART, { from: 3, to: 6 }, optionsOf());
  await expect(sent).rejects.toMatchObject({ code });
});

describe('with XMLHttpRequest', () => {
  const requests: FakeXhr[] = [];

  class FakeXhr {
    readonly upload: { onprogress?: (event: { loaded: number }) => void } = {};
    onabort?: () => void;
    onerror?: () => void;
    onload?: () => void;
    sent: Blob | undefined;
    status = 200;
    hasEtag = true;
    responseText = '';
    open(): void {
      requests.push(this);
    }
    send(body: Blob): void {
      this.sent = body;
    }
    abort(): void {
      this.onabort?.();
    }
    getResponseHeader(name: string): string | null {
      return name === 'etag' && this.hasEtag ? '"e"' : null;
    }
  }

  /** The module looks for XMLHttpRequest when it is loaded. */
  function inBrowser(options = optionsOf()) {
    Object.assign(globalThis, { XMLHttpRequest: FakeXhr });
    let sendPart: SendPart | undefined;
    jest.isolateModules(() => {
      const module = '../../../client/transfer/send-part';
      const loaded = jest.requireActual<{ partSender: typeof partSender }>(module);
      const fetch = () => Promise.reject(new Error('fetch was called'));
      sendPart = loaded.partSender(fetch, new Blob(['bytes']));
    });
    if (!sendPart) throw new Error('not loaded');
    const sent = sendPart(URL_OF_PART, { from: 1, to: 4 }, options);
    sent.catch(() => undefined);
    const request = requests.at(-1);
    if (!request) throw new Error('no request');
    return { sent, request };
  }

  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'XMLHttpRequest');
  });

  test('a part may take any time while its bytes move', async () => {
    jest.useFakeTimers();
    const { sent, request } = inBrowser();
    for (let loaded = 1; loaded <= 5; loaded++) {
      await jest.advanceTimersByTimeAsync(50_000);
      request.upload.onprogress?.({ loaded });
    }
    request.onload?.();
    expect(await sent).toBe('"e"');
  });

  test('a part whose bytes have not moved for a minute counts as lost', async () => {
    jest.useFakeTimers();
    const { sent, request } = inBrowser();
    const failed = expect(sent).rejects.toMatchObject(LOST);
    request.upload.onprogress?.({ loaded: 1 });
    await jest.advanceTimersByTimeAsync(70_000);
    await failed;
  });

  test('a part reports at most its own size, without the headers of the request', async () => {
    const reported: number[] = [];
    const onProgress = (sent: number) => reported.push(sent);
    const { sent, request } = inBrowser({ ...optionsOf(), onProgress });
    expect(await request.sent?.text()).toBe('yte');
    for (const loaded of [2, 3, 9]) request.upload.onprogress?.({ loaded });
    request.onload?.();
    expect(await sent).toBe('"e"');
    expect(reported).toEqual([2, 3, 3]);
  });

  test.each<[string, (request: FakeXhr) => void, object]>([
    ['a refusal', (xhr) => Object.assign(xhr, { status: 404 }).onload?.(), { code: 'not_found' }],
    [
      'no ETag',
      (xhr) => Object.assign(xhr, { hasEtag: false }).onload?.(),
      { code: 'invalid_request' },
    ],
    ['no response', (xhr) => xhr.onerror?.(), LOST],
  ])('a part that gets %s throws', async (_, answer, error) => {
    const { sent, request } = inBrowser();
    answer(request);
    await expect(sent).rejects.toMatchObject(error);
  });

  test('a part ends with the reason of its signal, and is not begun after it', async () => {
    const stop = new AbortController();
    const { sent } = inBrowser(optionsOf(stop.signal));
    stop.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    const { length } = requests;
    const { sent: again } = inBrowser(optionsOf(stop.signal));
    await expect(again).rejects.toThrow('enough');
    expect(requests).toHaveLength(length);
  });
});
