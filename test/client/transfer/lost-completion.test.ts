/** What becomes of an upload in parts when S3 completes it, and the client does not learn of it. */
import { ingestBlob } from '../../../core/objects/uploads';
import { newKey } from '../../support/samples';
import { clientOfFakes } from '../client-of-fakes';

const MiB = 1024 * 1024;
const CONTENT = new Blob([Buffer.alloc(6 * MiB, 'x')]);

/** Uploads while the first completion takes effect, and the second one gets `answer`. */
async function uploaded(answer: () => Response) {
  let completions = 0;
  let isPending = true;
  const { client, fakes } = clientOfFakes({
    meddle: async (address, init) => {
      if (address.includes('/uploads/') && isPending) {
        // It is committed once the client has asked.
        isPending = false;
        setImmediate(() => void commit());
        return Response.json({ upload_id: address.split('/').at(-1), state: 'pending' });
      }
      if (!address.startsWith('https://s3.') || init.method !== 'POST') return undefined;
      completions += 1;
      if (completions > 1) return answer();
      const body = Buffer.from(await new Response(init.body).arrayBuffer());
      await fakes.s3.request('POST', address, Object(init.headers), body);
      throw new TypeError('fetch failed');
    },
  });
  async function commit(): Promise<void> {
    const [upload] = fakes.state.uploads.values();
    await ingestBlob({ ...fakes, backoff: async () => undefined }, upload?.blob ?? '');
  }
  fakes.state.apiKeys.set('key-1', newKey({ id: 'key-1' }));
  await client.buckets.create('films');
  const object = await client.upload('films', 'film', CONTENT, { partSize: 5 * MiB });
  return { object, completions };
}

test.each([
  ['412, since the object is there', () => new Response('', { status: 412 })],
  [
    'NoSuchUpload, since the upload has ended',
    () => new Response('<Error><Code>NoSuchUpload</Code></Error>', { status: 404 }),
  ],
])('an upload whose completion was not seen is there when the next one gets %s', async (_, it) => {
  const { object, completions } = await uploaded(it);
  expect(completions).toBe(2);
  expect(object).toMatchObject({ key: 'film', size: CONTENT.size, version: 1 });
});
