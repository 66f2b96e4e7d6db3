import { existsSync } from 'node:fs';

/** Shards with which AWS creates the stream of an on-demand table. */
const INITIAL_SHARDS = 4;

/**
 * Returns the folders of the shards, including every folder of an earlier start, so that none of
 * its records is lost. No table name contains `~`.
 */
export function shardFolders(first: string, count = INITIAL_SHARDS): readonly string[] {
  const folders = [first];
  const next = () => `${first}~${folders.length + 1}`;
  while (folders.length < count || existsSync(next())) folders.push(next());
  return folders;
}
