import path from 'node:path';
import { loadTimes } from '../../bench/functions/load-time';
import { BUNDLE_NAMES } from '../../lib/functions/service-function';

test('the benchmark loads each function', async () => {
  const bundles = BUNDLE_NAMES.map((name) => ({
    name,
    file: path.join(__dirname, '../../dist/lambdas', name, 'index.js'),
    bytes: 0,
    packages: [],
  }));
  const loads = await loadTimes(bundles, 1);
  expect(loads.map(({ name }) => name)).toEqual(BUNDLE_NAMES);
});
