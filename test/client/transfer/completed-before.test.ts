/** Uploads in parts that are repeated because nobody saw their end, on the fakes. */
import type { ResumeStore, SavedUpload, UploadOptions } from '../../../client';
import { ingestBlob } from '../../../core/objects/uploads';
import { newKey } from '../../support/samples';
import { clientOfFakes } from '../client-of-fakes';

const MiB = 1024 * 1024;
const CONTENT = new File([Buffer.alloc(11 * MiB, 'x')], 'film', { lastModified: 1 });

/** A bucket, an uploaded object, and what was saved of the upload before its end. */
async function uploadedOnce(conditions: Pick<UploadOptions, 'ifNoneMatch'> = {}) {
  let state: 'as it is' | 'pending' = 'as it is';
  let parts = 0;
  const opened = clientOfFakes({
    meddle: async (address, { method }) => {
      const isOfS3 = address.startsWith('https://s3.');
      if (isOfS3 && method === 'PUT') parts += 1;
      if (isOfS3 && method === 'POST') setImmediate(() => void commit());
      if (!address.includes('/uploads/') || state === 'as it is') return undefined;
      // It is committed once the client has asked.
      state = 'as it is';
      return Response.json({ upload_id: saved?.uploadId, state: 'pending' });
    },
  });
  const { client, fakes } = opened;
  /** As function ingest does. */
  async function commit(): Promise<void> {
    const upload = await fakes.uploads.get(saved?.uploadId ?? '');
    await ingestBlob({ ...fakes, backoff: async () => undefined }, upload?.blob ?? '');
  }
  let saved: SavedUpload | undefined;
  const resume: ResumeStore = {
    load: async () => saved,
    save: async (upload) => {
      saved = upload;
    },
    // The program is killed before.
    clear: async () => undefined,
  };
  fakes.state.apiKeys.set('key-1', newKey({ id: 'key-1' }));
  await client.buckets.create('films');
  const options = { ...conditions, partSize: 5 * MiB, resume };
  const upload = () => client.upload('films', 'film', CONTENT, options);
  const first = await upload();
  expect(parts).toBe(3);
  return { upload, first, parts: () => parts, setPending: () => (state = 'pending') };
}

test('an upload that is committed already is not sent again', async () => {
  const { upload, first, parts } = await uploadedOnce();
  expect(await upload()).toEqual(first);
  expect(parts()).toBe(3);
});

test('an upload that is committed while it is continued is not sent again', async () => {
  const { upload, first, parts, setPending } = await uploadedOnce();
  setPending();
  expect(await upload()).toEqual(first);
  expect(parts()).toBe(3);
});

test('an upload that only creates is not refused because of the object that it has created', async () => {
  const { upload, first, parts, setPending } = await uploadedOnce({ ifNoneMatch: '*' });
  setPending();
  expect(await upload()).toEqual(first);
  expect(parts()).toBe(3);
});
