/**
 * Begins with the test files that take longest, so that no worker runs one of them alone at the
 * end. Jest does the same where it has measured them; in a fresh clone it goes by their length,
 * which says nothing about files that start services or wait for them.
 */
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const ROOT = path.join(__dirname, '../../..');

/** Beginnings of their paths, the longest first. */
const LONG = [
  'test/system/targets.test.ts',
  'test/dashboard/pages.test.ts',
  'test/dashboard/dialogs.test.ts',
  'test/dashboard/files.test.ts',
  'test/lambdas/crash',
  'test/system/backup-recovery.test.ts',
  'test/contract/data.test.ts',
  'test/dashboard/',
  'test/system/cli/',
  'test/lambdas/copies/crash-copies.test.ts',
  'test/simulation/',
  'emulator/test/s3/storage/durability.test.ts',
  'test/system/',
];

function rank(test) {
  const file = path.relative(ROOT, test.path).split(path.sep).join('/');
  const place = LONG.findIndex((beginning) => file.startsWith(beginning));
  return test.duration !== undefined || place === -1 ? LONG.length : place;
}

class LongestFirst extends Sequencer {
  sort(tests) {
    // The sort is stable: the others keep Jest's order.
    return super.sort([...tests]).sort((a, b) => rank(a) - rank(b));
  }
}

module.exports = LongestFirst;
