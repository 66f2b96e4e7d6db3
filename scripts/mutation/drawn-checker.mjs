// A plugin of StrykerJS: of the changes of a file, only the drawn ones are tried.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';

export const strykerPlugins = [declareFactoryPlugin(PluginKind.Checker, 'drawn', drawnChecker)];

function drawnChecker() {
  const drawn = new Set();
  return {
    async init() {
      const changes = JSON.parse(readFileSync(process.env.MUTATE_DRAWN, 'utf8'));
      for (const change of changes) drawn.add(placeOf(change));
    },
    async check(mutants) {
      const verdict = (mutant) =>
        drawn.has(placeOf({ ...mutant, file: path.relative('', mutant.fileName) }))
          ? { status: 'passed' }
          : { status: 'compileError', reason: 'not drawn' };
      return Object.fromEntries(mutants.map((mutant) => [mutant.id, verdict(mutant)]));
    },
    group: async (mutants) => [mutants.map(({ id }) => id)],
  };
}

export function placeOf({ file, location: { start, end }, mutatorName, replacement }) {
  return JSON.stringify([
    ...[file, start.line, start.column, end.line, end.column],
    ...[mutatorName, replacement],
  ]);
}
