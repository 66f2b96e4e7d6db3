/** Downloads that end early, on the fakes. */
import { clientOfFakes } from '../client-of-fakes';

const TEXT = 'the bytes of an object, of which a part is lost on the way';

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

test('a download continues behind the bytes that it has, and is whole in the end', async () => {
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

test('a download whose target fails on the way ends, and asks for nothing more', async () => {
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

test('a download ends when a response continues behind the object, and asks not again', async () => {
  const { client, requests } = await answeredBy(TEXT.slice(0, 20), `${TEXT.slice(20)}more`);
  await expect(client.download('photos', 'a', new WritableStream())).rejects.toMatchObject({
    ...{ code: 'invalid_request', message: 'the response is longer than a' },
  });
  expect(requests()).toBe(1);
});
