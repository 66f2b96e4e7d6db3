/** Uploads that continue after an interruption: one file for each, in a folder. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileResume, type ResumeStore } from '../../client/index';
import { fileNameFor } from './folders';

/** `about`: names the upload among those of the folder. */
export function savedUploadIn(folder: string, about: string): ResumeStore {
  const store = fileResume(path.join(folder, `${fileNameFor(about)}.json`));
  return {
    load: () => store.load(),
    save: (upload) => {
      // Only now: most uploads are small, and save nothing.
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return store.save(upload);
    },
    clear: () => store.clear(),
  };
}
