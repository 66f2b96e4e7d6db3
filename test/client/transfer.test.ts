/** Uploads in parts whose connections hang and whose URLs expire, on the fakes. */
import { openAsBlob, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type PartOptions, partSender, type SendPart } from '../../client/transfer/send-part';
import { useTemporaryFolder } from '../support/temporary-folder';
import { clientOfFakes, type FakesOptions } from './client-of-fakes';

const MiB = 1024 * 1024;
const BYTES = new Blob([Buffer.alloc(11 * MiB, 'x')]);
const PART_SIZE = 5 * MiB;

async function open(meddle?: FakesOptions['meddle']) {
  const { client, fakes } = clientOfFakes({ meddle });
  await client.buckets.create('films');
  const upload = (signal: AbortSignal) =>
    client.upload('films', 'film', BYTES, { partSize: PART_SIZE, concurrency: 1, signal });
  return { fakes, upload };
}

const folder = useTemporaryFolder('parts');

const isOfS3 = (address: string) => address.startsWith('https://s3.');

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

test('an upload that ends after its URLs have expired leaves no parts in S3', async () => {
  const stop = new AbortController();
  let parts = 0;
  const { fakes, upload } = await open(async (address, { method }) => {
    if (!isOfS3(address) || method !== 'PUT' || ++parts < 2) return undefined;
    fakes.clock.advance(2 * 3_600_000);
    stop.abort(new Error('no more'));
    throw new TypeError('fetch failed');
  });
  await expect(upload(stop.signal)).rejects.toThrow('no more');
  expect(parts).toBe(2);
  expect(fakes.state.multiparts.size).toBe(0);
});

test('a request that ends an upload, and hangs, does not hold up the caller', async () => {
  const stop = new AbortController();
  const limits: [number, AbortController][] = [];
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    const limit = new AbortController();
    limits.push([milliseconds, limit]);
    return limit.signal;
  });
  const { upload } = await open(async (address, { method, signal }) => {
    if (!isOfS3(address)) return undefined;
    if (method === 'PUT') stop.abort(new Error('no more'));
    if (method !== 'DELETE') return undefined;
    // The time is over once the request is on its way.
    for (const [milliseconds, limit] of limits) if (milliseconds === 10_000) limit.abort();
    return unanswered(signal);
  });
  await expect(upload(stop.signal)).rejects.toThrow('no more');
  expect(limits.map(([milliseconds]) => milliseconds)).toContain(10_000);
});

/** A request whose response never comes. */
function unanswered(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason));
  });
}

const OPTIONS: PartOptions = { onProgress: () => undefined, signal: new AbortController().signal };

test('a part that gets no response counts as lost, later the larger it is', async () => {
  jest.useFakeTimers();
  const content = new Blob([Buffer.alloc(16 * MiB)]);
  const sendPart = partSender((_address, { signal }) => unanswered(signal), content);
  for (const [size, limit] of [
    [0, 60_000],
    [16 * MiB, 60_000 + MiB],
  ] as const) {
    let failure: unknown;
    const part = { from: 0, to: size };
    const sent = sendPart('https://s3.example/', part, OPTIONS).catch((error: unknown) => {
      failure = error;
    });
    await jest.advanceTimersByTimeAsync(limit - 1);
    expect(failure).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1);
    await sent;
    expect(failure).toMatchObject({ code: 'network', isTemporary: true });
  }
});

test('a file that changes while a part is sent is a conflict, not a lost connection', async () => {
  const file = path.join(folder, 'file');
  writeFileSync(file, 'before');
  const sendPart = partSender(
    async (_address, init) => {
      writeFileSync(file, 'changed');
      return new Response(await new Response(init?.body).text());
    },
    await openAsBlob(file),
  );
  await expect(sendPart('https://s3.example/', { from: 0, to: 6 }, OPTIONS)).rejects.toMatchObject({
    code: 'conflict',
    message: 'the file changed while it was sent: upload it again',
  });
});

describe('with XMLHttpRequest', () => {
  const requests: FakeXhr[] = [];

  class FakeXhr {
    readonly upload: { onprogress?: (event: { loaded: number }) => void } = {};
    onabort?: () => void;
    onerror?: () => void;
    sent: Blob | undefined;
    onload?: () => void;
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
  function inBrowser(options = OPTIONS) {
    Object.assign(globalThis, { XMLHttpRequest: FakeXhr });
    let sendPart: SendPart | undefined;
    jest.isolateModules(() => {
      const path = '../../client/transfer/send-part';
      const loaded = jest.requireActual<{ partSender: typeof partSender }>(path);
      const fetch = () => Promise.reject(new Error('fetch was called'));
      sendPart = loaded.partSender(fetch, new Blob(['bytes']));
    });
    if (!sendPart) throw new Error('not loaded');
    const sent = sendPart('https://s3.example/', { from: 1, to: 4 }, options);
    sent.catch(() => undefined);
    const request = requests.at(-1);
    if (!request) throw new Error('no request');
    return { sent, request };
  }

  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'XMLHttpRequest');
  });

  test('a part may take any time while it moves', async () => {
    jest.useFakeTimers();
    const { sent, request } = inBrowser();
    for (let loaded = 1; loaded <= 5; loaded++) {
      await jest.advanceTimersByTimeAsync(59_999);
      request.upload.onprogress?.({ loaded });
    }
    request.onload?.();
    expect(await sent).toBe('"e"');
    expect(jest.getTimerCount()).toBe(0);
  });

  test('a part that has not moved for a minute counts as lost', async () => {
    jest.useFakeTimers();
    const { sent, request } = inBrowser();
    const failed = expect(sent).rejects.toMatchObject({ code: 'network', isTemporary: true });
    await jest.advanceTimersByTimeAsync(59_999);
    request.upload.onprogress?.({ loaded: 1 });
    await jest.advanceTimersByTimeAsync(60_000);
    await failed;
    expect(jest.getTimerCount()).toBe(0);
  });

  test('a part is the bytes of its range, and reports no more than they are', async () => {
    const reported: number[] = [];
    const onProgress = (sent: number) => reported.push(sent);
    const { sent, request } = inBrowser({ ...OPTIONS, onProgress });
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
    ['no response', (xhr) => xhr.onerror?.(), { code: 'network', isTemporary: true }],
  ])('a part that gets %s is an error', async (_, answer, error) => {
    const { sent, request } = inBrowser();
    answer(request);
    await expect(sent).rejects.toMatchObject(error);
  });

  test('a part ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const options = { ...OPTIONS, signal: stop.signal };
    const { sent } = inBrowser(options);
    stop.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    const { length } = requests;
    const { sent: again } = inBrowser(options);
    expect(requests).toHaveLength(length);
    await expect(again).rejects.toThrow('enough');
  });
});
