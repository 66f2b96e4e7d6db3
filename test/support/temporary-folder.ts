import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface TemporaryFolder {
  readonly folder: string;
  remove(): void;
}

/** Creates an empty folder whose name begins with `stowage-` and the purpose. */
export function temporaryFolder(purpose: string): TemporaryFolder {
  const folder = mkdtempSync(path.join(tmpdir(), `stowage-${purpose}-`));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Creates such a folder, removed after the tests of the file or of the `describe`. */
export function useTemporaryFolder(purpose: string): string {
  const { folder, remove } = temporaryFolder(purpose);
  afterAll(remove);
  return folder;
}
