// Tries a sample of the changes of core, lambdas and client, folder by folder.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { thoseThatCompile } from './compiles.mjs';
import { changesOf, inOrderOf, sourcesOf } from './draw.mjs';
import { placeOf } from './drawn-checker.mjs';
import { reportOf } from './report.mjs';
import { runStryker } from './stryker.mjs';

const FOLDERS = ['core', 'lambdas', 'client'];
const UNITS = 'test/mutation/units.json';
const EQUIVALENT = 'test/mutation/equivalent.json';
const RESULTS = '.local/mutation-results.json';

/** The first round leaves to the second what takes long, which few changes then need. */
const QUICK = ({ tests }) => ({ tests, withProperties: false });
const ALL = ({ tests, more }) => ({ tests: [...tests, ...more], withProperties: true });
/** Tests of the whole, for what no test of a unit has noticed. */
const WHOLE = {
  tests: [
    'test/simulation',
    'test/lambdas/crash*.test.ts',
    'test/lambdas/authorization',
    'test/openapi',
    'test/cli',
    'test/dashboard',
  ],
  withProperties: true,
};

/**
 * Draws `size` changes and tries those without a result, and those that no test has noticed yet.
 * Results are kept: a run continues an earlier one, and a larger sample of the same seed contains
 * the smaller one. `only`: units to which the run, not the sample, is restricted. `quick`:
 * ends after the first of three rounds.
 */
export async function trySample({ size, seed, only, quick }) {
  mkdirSync('.local', { recursive: true });
  const drawn = await draw(size, seed);
  const results = existsSync(RESULTS) ? readJson(RESULTS) : {};
  for (const unit of unitsOf(drawn)) {
    if (only.length > 0 && !only.includes(unit.sources)) continue;
    for (const round of quick ? [QUICK] : [QUICK, ALL]) {
      const isLeft = round === QUICK ? (status) => status === undefined : isMissed;
      const left = unit.changes.filter(({ id }) => isLeft(results[id]));
      await tryInto(results, left, round(unit));
    }
  }
  if (!quick) {
    await tryInto(
      results,
      drawn.filter(({ id }) => isTriedAndMissed(results[id])),
      WHOLE,
    );
  }
  const equivalent = readJson(EQUIVALENT);
  console.log(reportOf({ drawn: unitsOf(drawn), results, equivalent, seed }));
}

const isMissed = (status) => !noticed(status);
const isTriedAndMissed = (status) => status !== undefined && isMissed(status);

export function noticed(status) {
  return status === 'Killed' || status === 'Timeout';
}

/** A change that does not compile is passed over. The compiler takes a minute: see the file. */
async function draw(size, seed) {
  const sources = sourcesOf(FOLDERS);
  const order = inOrderOf(seed, await changesOf(sources));
  const file = `.local/mutation-compiles.json`;
  const known = existsSync(file) ? readJson(file) : {};
  const drawn = [];
  for (let from = 0; drawn.length < size && from < order.length; from += 100) {
    const some = order.slice(from, from + 100);
    const unknown = some.filter(({ id }) => known[id] === undefined);
    const compiling = new Set(thoseThatCompile(unknown, sources));
    for (const change of unknown) known[change.id] = compiling.has(change);
    drawn.push(...some.filter(({ id }) => known[id]));
  }
  writeFileSync(file, JSON.stringify(known));
  return drawn.slice(0, size);
}

/** The drawn changes by the first unit with their file: a unit stands before what contains it. */
function unitsOf(drawn) {
  const units = readJson(UNITS).map((unit) => ({ more: [], ...unit, changes: [] }));
  for (const change of drawn) {
    const unit = units.find(({ sources }) => `${change.file}/`.startsWith(`${sources}/`));
    if (unit === undefined) throw new Error(`no unit of ${UNITS} has ${change.file}`);
    unit.changes.push(change);
  }
  return units.filter(({ changes }) => changes.length > 0);
}

async function tryInto(results, changes, round) {
  if (changes.length === 0) return;
  Object.assign(results, await tried(changes, round));
  writeFileSync(RESULTS, JSON.stringify(results, null, 1));
}

async function tried(changes, round) {
  const drawn = path.resolve('.local/mutation-drawn.json');
  writeFileSync(drawn, JSON.stringify(changes));
  const mutants = await runStryker({
    ...{ mutate: [...new Set(changes.map(({ file }) => file))], ...round, drawn },
    options: { reporters: ['progress-append-only'], ignoreStatic: false, allowEmpty: true },
  });
  const statuses = new Map(mutants.map((one) => [placeOf(fromReport(one)), one.status]));
  return Object.fromEntries(changes.map((one) => [one.id, statuses.get(placeOf(one))]));
}

/** Reports count lines and columns from 1, all else from 0. */
function fromReport({ fileName, location, ...rest }) {
  const at = ({ line, column }) => ({ line: line - 1, column: column - 1 });
  const { start, end } = location;
  return {
    ...{ ...rest, file: path.relative('', fileName) },
    location: { start: at(start), end: at(end) },
  };
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
