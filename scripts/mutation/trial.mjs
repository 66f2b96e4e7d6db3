// Tries changes of core, lambdas and client, all or a sample, folder by folder.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { thoseThatCompile } from './compiles.mjs';
import { changesOf, inOrderOf, sourcesOf } from './draw.mjs';
import { placeOf } from './drawn-checker.mjs';
import { noticed, reportOf } from './report.mjs';
import { runStryker } from './stryker.mjs';

const FOLDERS = ['core', 'service', 'adapters', 'lambdas', 'client'];
const UNITS = 'test/mutation/units.json';
/** Files named after units: `core-http.json`. */
const EQUIVALENT = 'test/mutation/equivalent';
const RESULTS = '.local/mutation-results.json';
const COMPILES = '.local/mutation-compiles.json';

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

const ROUNDS = [QUICK, ALL];

/**
 * Draws `size` changes by the seed, and tries those that no test has noticed yet. Results are kept:
 * a run continues an earlier one, and a larger sample of the same seed contains the smaller one.
 * `only`: units to which the run, not the sample, is restricted. `rounds`: how many of the three.
 */
export async function trySample({ size, seed, only, rounds }) {
  const sources = sourcesOf(FOLDERS);
  const order = inOrderOf(seed, await changesOf(sources));
  const units = unitsOf(compiling(order, sources, size));
  const tried = units.filter((unit) => only.length === 0 || only.includes(unit.sources));
  await tryUnits({ units: tried, rounds, title: `seed ${seed}`, reported: units });
}

/** Tries every change of files and folders that no test has noticed yet. */
export async function tryAll({ paths, rounds }) {
  const sources = sourcesOf(FOLDERS);
  const units = unitsOf(compiling(await changesOf(sourcesOf(paths)), sources));
  await tryUnits({ units, rounds, title: paths.join(', ') });
}

async function tryUnits({ units, rounds, title, reported = units }) {
  mkdirSync('.local', { recursive: true });
  const results = existsSync(RESULTS) ? readJson(RESULTS) : {};
  const missed = ({ id }) => !noticed(results[id]);
  for (const unit of units) {
    for (const round of ROUNDS.slice(0, rounds)) {
      await tryInto(results, unit.changes.filter(missed), round(unit));
    }
  }
  if (rounds > ROUNDS.length) {
    const left = units.flatMap(({ changes }) => changes).filter(missed);
    await tryInto(results, left, WHOLE);
  }
  console.log(reportOf({ drawn: reported, results, equivalent: equivalents(), title }));
}

/**
 * The first `size` of the changes that compile: one that does not is passed over. The compiler
 * takes a minute for some hundreds, so that its answers are kept.
 */
function compiling(order, sources, size = Number.POSITIVE_INFINITY) {
  mkdirSync('.local', { recursive: true });
  const known = existsSync(COMPILES) ? readJson(COMPILES) : {};
  const drawn = [];
  for (let from = 0; drawn.length < size && from < order.length; from += 100) {
    const some = order.slice(from, from + 100);
    const unknown = some.filter(({ id }) => known[id] === undefined);
    const accepted = new Set(thoseThatCompile(unknown, sources));
    for (const change of unknown) known[change.id] = accepted.has(change);
    drawn.push(...some.filter(({ id }) => known[id]));
  }
  writeFileSync(COMPILES, JSON.stringify(known));
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

/** By the id of a change: why nobody can notice it. */
export function equivalents() {
  const files = readdirSync(EQUIVALENT).map((file) => readJson(path.join(EQUIVALENT, file)));
  return Object.assign({}, ...files);
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
