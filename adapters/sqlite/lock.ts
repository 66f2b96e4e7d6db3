import path from 'node:path';
import Sqlite from 'libsql';

/**
 * Locks a data folder until the returned function is called, or the process ends however it does:
 * the operating system holds the lock. Throws when another process has locked it.
 */
export function lockFolder(folder: string): () => void {
  const lock = new Sqlite(path.join(folder, 'lock'));
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new Error(
      `another process serves ${folder}: stop it first, or give this one another folder`,
      { cause: error },
    );
  }
  return () => lock.close();
}
