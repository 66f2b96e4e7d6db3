/** Which saved uploads are continued. */
import { type SavedUpload, storageResume } from '../../../client';

const SAVED: SavedUpload = {
  ...{ uploadId: 'upload-1', bucket: 'films', key: 'film', fields: '{}' },
  ...{ size: 11, partSize: 5, modifiedAt: 1, etags: { 1: '"a"', 2: '"b"' } },
};

function loaded(text: string | null): Promise<SavedUpload | undefined> {
  const storage = { getItem: () => text, setItem: () => undefined, removeItem: () => undefined };
  return storageResume(storage, 'upload').load();
}

test.each([
  ['with the time of the content', SAVED],
  ['without it', { ...SAVED, modifiedAt: undefined }],
  ['of which no part was sent', { ...SAVED, etags: {} }],
])('an upload that was saved %s is continued', async (_, saved) => {
  const text = JSON.stringify(saved);
  expect(await loaded(text)).toEqual(JSON.parse(text));
});

test.each([
  ['uploadId', undefined],
  ['uploadId', 7],
  ['bucket', undefined],
  ['key', undefined],
  ['fields', {}],
  ['size', '11'],
  ['size', 0],
  ['partSize', 0.5],
  ['partSize', undefined],
  ['modifiedAt', 'yesterday'],
  ['etags', undefined],
  ['etags', { 1: '"a"', 2: 2 }],
])('an upload whose saved %s is %j begins anew', async (field, value) => {
  expect(await loaded(JSON.stringify({ ...SAVED, [field]: value }))).toBeUndefined();
});

test.each([null, '', '{"uploadId":', '[]', 'null'])(
  'an upload begins anew when %j is saved',
  async (text) => {
    expect(await loaded(text)).toBeUndefined();
  },
);
