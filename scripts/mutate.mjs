// `npm run mutate -- core/log`: changes each expression of the folder, one at a time, and lists
// what no test notices. Files and several folders may be named.
//
// `npm run mutate -- --sample 300 --seed 1`: tries 300 changes of core, lambdas and client,
// drawn by the seed. Further arguments are the folders of test/mutation/units.json that the run
// is about.
//
// `--rounds 1` tries with the quick tests of a folder only, 2 with all of its tests, 3, which is
// what runs by default, with tests of the whole as well. docs/proof.md has the figures.
import { parseArgs } from 'node:util';
import { tryAll, trySample } from './mutation/trial.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
  },
});
const rounds = Number(values.rounds);
if (values.sample) {
  await trySample({ size: Number(values.sample), seed: values.seed, only: positionals, rounds });
} else if (positionals.length > 0) {
  await tryAll({ paths: positionals, rounds });
} else {
  throw new Error('name a folder: npm run mutate -- core/log');
}
