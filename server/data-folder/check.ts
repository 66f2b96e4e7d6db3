/** Proves that a data folder is sound, or names what is not. */
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import path from 'node:path';
import { hasEtag, md5Of } from '../../adapters/files/checksums';
import { contentPath } from '../../adapters/files/content-folder';
import { Snapshot, type StoredContent } from '../../adapters/sqlite/snapshot';
import { CONTENT_FOLDER, DATABASE_FILE, requireDataFolder } from './backup';

export interface CheckReport {
  readonly buckets: number;
  readonly objects: number;
  readonly blobs: number;
  /** Bytes of content that were read. */
  readonly bytes: number;
  /** One sentence for each thing that is wrong. */
  readonly problems: readonly string[];
}

/**
 * Reads everything in the folder: the pages of the database, each cursor of each bucket's log, the
 * content of each object and earlier version, and each file with its checksum. A server may be
 * running: the state of one moment is checked.
 */
export async function checkFolder(folder: string): Promise<CheckReport> {
  requireDataFolder(folder);
  const snapshot = new Snapshot(path.join(folder, DATABASE_FILE));
  try {
    const problems = [...snapshot.damage()];
    const buckets = snapshot.buckets();
    for (const { name, id, oldest, cursor } of buckets) {
      for (const missing of snapshot.missingCursors(id, oldest, cursor)) {
        problems.push(`bucket ${name}: the log has no entry at cursor ${missing}`);
      }
    }
    for (const { bucket, key, cursor } of snapshot.withoutContent()) {
      problems.push(`bucket ${bucket}: the content of ${key} at cursor ${cursor} is missing`);
    }
    let blobs = 0;
    let bytes = 0;
    for (const content of snapshot.content()) {
      blobs += 1;
      bytes += content.size;
      const problem = await problemOf(path.join(folder, CONTENT_FOLDER), content);
      if (problem !== undefined) problems.push(`content ${content.blob}: ${problem}`);
    }
    return { buckets: buckets.length, objects: snapshot.objectCount(), blobs, bytes, problems };
  } finally {
    snapshot.close();
  }
}

async function problemOf(
  folder: string,
  { bytes, files, size, etag }: StoredContent,
): Promise<string | undefined> {
  if (bytes !== undefined) {
    if (bytes.length !== size) return `has ${bytes.length} bytes in place of ${size}`;
    return md5Of(bytes) === etag ? undefined : 'does not have its checksum';
  }
  const digests: string[] = [];
  for (const { name, size: expected } of files) {
    const file = contentPath(folder, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return `the file ${name} is missing`;
    if (stats.size !== expected) {
      return `the file ${name} has ${stats.size} bytes in place of ${expected}`;
    }
    const hash = createHash('md5');
    for await (const chunk of createReadStream(file)) hash.update(chunk);
    digests.push(hash.digest('hex'));
  }
  return hasEtag(etag, digests) ? undefined : 'does not have its checksum';
}
