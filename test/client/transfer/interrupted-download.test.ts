/** Downloads whose response ends early, or whose target fails, on the fakes. */
import { clientOfFakes } from '../client-of-fakes';
import { ANY, answering } from '../requests/answering';

const TEXT = 'the bytes of an object that are lost in the middle of a download';

/** Downloads while the first response for the bytes ends after `kept` of them. */
async function downloaded(kept: number) {
  const asked: (string | null)[] = [];
  const { client } = clientOfFakes({
    meddle: async (address, init) => {
      const isBytes = address.includes('/objects/photos/a?version=');
      if (!isBytes || address.includes('view=')) return undefined;
      asked.push(new Headers(init.headers).get('range'));
      if (asked.length > 1) return undefined;
      return new Response(TEXT.slice(0, kept), { headers: { etag: `"${etag}"` } });
    },
  });
  await client.buckets.create('photos');
  const { etag } = await client.put('photos', 'a', TEXT);
  const received: Uint8Array[] = [];
  const target = new WritableStream<Uint8Array>({ write: (bytes) => void received.push(bytes) });
  await client.download('photos', 'a', target);
  return { asked, text: Buffer.concat(received).toString() };
}

test('a download continues after the bytes that it has, and is complete in the end', async () => {
  const { asked, text } = await downloaded(20);
  expect(text).toBe(TEXT);
  expect(asked).toEqual([null, `bytes=20-${TEXT.length - 1}`]);
});

/** A bucket with the object, whose first response for the bytes has these chunks. */
async function answeredBy(...chunks: string[]) {
  let requests = 0;
  const { client } = clientOfFakes({
    meddle: async (address) => {
      const isBytes = address.includes('/objects/photos/a?version=');
      if (!isBytes || address.includes('view=') || requests++ > 0) return undefined;
      const body = new ReadableStream({
        pull(controller) {
          const text = chunks.shift();
          if (text === undefined) controller.close();
          else controller.enqueue(Buffer.from(text));
        },
      });
      return new Response(body, { headers: { etag: `"${etag}"` } });
    },
  });
  await client.buckets.create('photos');
  const { etag } = await client.put('photos', 'a', TEXT);
  return { client, requests: () => requests };
}

test('a download whose target fails ends, and requests nothing more', async () => {
  const { client, requests } = await answeredBy(TEXT.slice(0, 20), TEXT.slice(20));
  let writes = 0;
  const target = new WritableStream({
    write: () => {
      writes += 1;
      if (writes > 1) throw new Error('the disk is full');
    },
  });
  await expect(client.download('photos', 'a', target)).rejects.toThrow('the disk is full');
  expect([writes, requests()]).toEqual([2, 1]);
});

test.each([0, 17, 1.5, Number.NaN, '4'])('a concurrency of %p is a TypeError', async (given) => {
  const { client, requests } = await answeredBy(TEXT);
  const concurrency = given as number;
  const download = client.download('photos', 'a', new WritableStream(), { concurrency });
  await expect(download).rejects.toMatchObject({ name: 'TypeError' });
  expect(requests()).toBe(0);
});

test('a target that is neither a file nor a stream is a TypeError', async () => {
  const { client, requests } = await answeredBy(TEXT);
  const download = client.download('photos', 'a', {} as WritableStream);
  await expect(download).rejects.toMatchObject({
    ...{ name: 'TypeError', message: expect.stringContaining('WritableStream') },
  });
  expect(requests()).toBe(0);
});

test.each([{ version: 2 }, { asOf: 3 }])(
  'a download with %j requests that state of the object',
  async (of) => {
    const { client, sent } = answering({ ...ANY, size: 0 });
    await client.download('a', 'k', new WritableStream(), of);
    const [name, value] = Object.entries(of)[0] ?? [];
    const query = `${name === 'asOf' ? 'as_of' : name}=${value}`;
    expect(sent.map(({ path }) => path)).toEqual([`objects/a/k?view=descriptor&${query}`]);
  },
);

test('a download to a stream reports its bytes, closes the stream, and returns the object', async () => {
  const { client } = await answeredBy(TEXT.slice(0, 20), TEXT.slice(20));
  const reported: object[] = [];
  let isClosed = false;
  const target = new WritableStream({
    close() {
      isClosed = true;
    },
  });
  const onProgress = (progress: object) => reported.push(progress);
  const object = await client.download('photos', 'a', target, { onProgress });
  expect(object).toMatchObject({ key: 'a', size: TEXT.length });
  const total = TEXT.length;
  expect(reported).toEqual([
    { received: 20, total },
    { received: total, total },
  ]);
  expect([isClosed, target.locked]).toEqual([true, false]);
});

test.each(['write', 'close'])(
  'a download to a stream whose %s hangs ends with its signal',
  async (name) => {
    const { client } = await answeredBy(TEXT);
    const stop = new AbortController();
    const stall = () => {
      stop.abort(new Error('enough'));
      return new Promise<void>(() => undefined);
    };
    const target = new WritableStream({ [name]: stall });
    const download = client.download('photos', 'a', target, { signal: stop.signal });
    await expect(download).rejects.toThrow('enough');
    expect(target.locked).toBe(false);
  },
);

test('the target stream of a failed download is aborted with the error', async () => {
  const { client } = await answeredBy(`${TEXT}more`);
  let reason: unknown;
  const target = new WritableStream({
    abort(given) {
      reason = given;
    },
  });
  const failed = { code: 'invalid_request' };
  await expect(client.download('photos', 'a', target)).rejects.toMatchObject(failed);
  expect(reason).toMatchObject(failed);
});
