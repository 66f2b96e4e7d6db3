// `npm run mutate -- core/log`: changes each expression of the folder, one at a time, and looks
// which changes no test of test/core/log notices. Further arguments are tests that say more about
// the folder than its own do: `npm run mutate -- core/log test/core/objects`.
//
// `npm run mutate -- --sample 300 --seed 1`: tries 300 changes of core, lambdas and client, drawn
// by the seed. Further arguments are the folders of test/mutation/units.json to which the run is
// restricted. docs/proof.md has the figures.
import { parseArgs } from 'node:util';
import { trySample } from './mutation/sample.mjs';
import { runStryker } from './mutation/stryker.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    quick: { type: 'boolean' },
  },
});
if (values.sample) {
  const { sample, seed, quick } = values;
  await trySample({ size: Number(sample), seed, only: positionals, quick });
} else {
  await tryFolder(...positionals);
}

async function tryFolder(folder, ...more) {
  if (folder === undefined) throw new Error('name a folder: npm run mutate -- core/log');
  await runStryker({
    mutate: folder.endsWith('.ts') ? [folder] : [`${folder}/**/*.ts`, '!**/*ports.ts'],
    tests: [`test/${folder}`, ...more],
    options: {
      // What runs while a module is loaded would be tried with every test.
      ignoreStatic: true,
      reporters: ['clear-text', 'progress-append-only', 'json'],
      clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
      jsonReporter: { fileName: `.local/mutation-${folder.replaceAll('/', '-')}.json` },
    },
  });
}
