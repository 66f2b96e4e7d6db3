/** A download whose response ends early, on the fakes. */
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
