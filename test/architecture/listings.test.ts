import path from 'node:path';
import { filesBelow } from './sources';

/** A listing that fits a glance. */
const MAX_ENTRIES = 20;

test(`no folder lists more than ${MAX_ENTRIES} sources without a sub-folder`, () => {
  const counts = new Map<string, number>();
  for (const { path: file } of filesBelow('', ['.ts', '.tsx', '.mjs', '.js'])) {
    const folder = path.posix.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect([...counts].filter(([, entries]) => entries > MAX_ENTRIES)).toEqual([]);
});
