import path from 'node:path';
import LongestFirst from './longest-first';

const ROOT = path.join(__dirname, '../../..');

/** `seconds`: what Jest measured. `bytes`: the length of the file. */
function order(files: readonly (readonly [file: string, bytes: number, seconds?: number])[]) {
  const cache = new Map(files.map(([file, , seconds]) => [path.join(ROOT, file), seconds]));
  class WithTimes extends LongestFirst {
    override time({ path: file }: { readonly path: string }) {
      return cache.get(file);
    }
    override hasFailed() {
      return false;
    }
  }
  const tests = files.map(([file, bytes]) => ({
    path: path.join(ROOT, file),
    context: { hasteFS: { getSize: () => bytes } },
  }));
  return new WithTimes()
    .sort(tests)
    .map((test) => path.relative(ROOT, test.path).split(path.sep).join('/'));
}

test('a fresh clone begins with the longest test files, then goes by length', () => {
  const files = [
    ['test/core/limits.test.ts', 9],
    ['test/core/http/ranges.test.ts', 20],
    ['test/dashboard/pages.test.ts', 1],
    ['test/system/targets.test.ts', 2],
  ] as const;
  expect(order(files)).toEqual([
    'test/system/targets.test.ts',
    'test/dashboard/pages.test.ts',
    'test/core/http/ranges.test.ts',
    'test/core/limits.test.ts',
  ]);
});

test('measured times decide where there are any', () => {
  const files = [
    ['test/system/targets.test.ts', 9, 1],
    ['test/core/limits.test.ts', 1, 5],
    ['test/core/new.test.ts', 1],
  ] as const;
  expect(order(files)).toEqual([
    'test/core/new.test.ts',
    'test/core/limits.test.ts',
    'test/system/targets.test.ts',
  ]);
});
