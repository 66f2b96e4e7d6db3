/** Where uploads are saved, and which saved uploads are loaded. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { fileResume, type SavedUpload, storageResume } from '../../../client';
import { useTemporaryFolder } from '../../support/temporary-folder';

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
  ['before a part was sent', { ...SAVED, etags: {} }],
])('an upload that was saved %s is loaded', async (_, saved) => {
  const text = JSON.stringify(saved);
  expect(await loaded(text)).toEqual(JSON.parse(text));
});

test.each([
  ['uploadId', undefined],
  ['uploadId', 7],
  ['key', 7],
  ['bucket', undefined],
  ['key', undefined],
  ['fields', {}],
  ['size', '11'],
  ['size', 0],
  ['size', undefined],
  ['partSize', 0],
  ['partSize', 0.5],
  ['partSize', undefined],
  ['modifiedAt', 'yesterday'],
  ['etags', undefined],
  ['etags', { 1: '"a"', 2: 2 }],
])('a saved upload whose %s is %j is not loaded', async (field, value) => {
  expect(await loaded(JSON.stringify({ ...SAVED, [field]: value }))).toBeUndefined();
});

test.each([null, '', '{"uploadId":', '[]', 'null'])('no upload is loaded from %j', async (text) => {
  expect(await loaded(text)).toBeUndefined();
});

const folder = useTemporaryFolder('saved-upload');

test.each([
  ['a path', (file: string) => file],
  ['a URL', (file: string) => pathToFileURL(file)],
])('an upload is saved in the file of %s until it is cleared', async (name, pathOf) => {
  const ownFolder = mkdtempSync(path.join(folder, 'saved-'));
  const file = path.join(ownFolder, name);
  const resume = fileResume(pathOf(file));
  expect(await resume.load()).toBeUndefined();
  await resume.save({ ...SAVED, etags: {} });
  await resume.save(SAVED);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(SAVED);
  expect(await resume.load()).toEqual(SAVED);
  expect(readdirSync(ownFolder)).toEqual([name]);
  await resume.clear();
  await resume.clear();
  expect(readdirSync(ownFolder)).toEqual([]);
});

test('no upload is loaded from a corrupt file', async () => {
  const file = path.join(folder, 'damaged');
  writeFileSync(file, JSON.stringify(SAVED).slice(0, -9));
  expect(await fileResume(file).load()).toBeUndefined();
});

test('an upload is saved under its name in a Storage until it is cleared', async () => {
  const stored = new Map<string, string>([['other', 'text']]);
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => void stored.set(name, text),
    removeItem: (name: string) => void stored.delete(name),
  };
  const resume = storageResume(storage, 'upload');
  await resume.save(SAVED);
  expect([...stored.keys()]).toEqual(['other', 'upload']);
  expect(await resume.load()).toEqual(SAVED);
  await resume.clear();
  expect([...stored.keys()]).toEqual(['other']);
});
