// Lists the changes that StrykerJS makes to sources, and draws some of them by a seed.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInstrumenter } from '@stryker-mutator/instrumenter';

/** Messages are for people: no test repeats a whole one. */
export const EXCLUDED = ['StringLiteral'];

const silent = {
  ...{ isDebugEnabled: () => false, isTraceEnabled: () => false, isInfoEnabled: () => false },
  ...{ debug() {}, trace() {}, info() {}, warn: console.warn, error: console.error },
};

/** The sources of folders, without declarations and ports, which have nothing to run. */
export function sourcesOf(folders) {
  return folders
    .flatMap((folder) =>
      folder.endsWith('.ts')
        ? [folder]
        : readdirSync(folder, { recursive: true }).map((file) => path.join(folder, file)),
    )
    .filter((file) => /(?<!\.d|ports)\.ts$/.test(file))
    .sort();
}

/** Every change of the files. Its `id` stays the same while other lines of the file change. */
export async function changesOf(files) {
  const injector = { provideValue: () => injector, injectClass: (Class) => new Class(silent) };
  const instrumenter = createInstrumenter(injector);
  const read = files.map((name) => {
    return { name: path.resolve(name), mutate: true, content: readFileSync(name, 'utf8') };
  });
  const options = { plugins: null, excludedMutations: EXCLUDED, ignorers: [], noHeader: true };
  const { mutants } = await instrumenter.instrument(read, options);
  const texts = new Map(read.map(({ name, content }) => [name, content.split('\n')]));
  const seen = new Map();
  return mutants
    .filter(({ status }) => status !== 'Ignored')
    .map((mutant) => {
      const file = path.relative('', mutant.fileName);
      const original = textAt(texts.get(mutant.fileName), mutant.location);
      const parts = [file, mutant.mutatorName, original, mutant.replacement];
      const nth = (seen.get(parts.join('\n')) ?? 0) + 1;
      seen.set(parts.join('\n'), nth);
      const { location, replacement, mutatorName } = mutant;
      return { id: hash([...parts, nth]), file, location, original, replacement, mutatorName };
    });
}

/** The changes in an order that the seed decides: its first n are the sample of n. */
export function inOrderOf(seed, changes) {
  const place = new Map(changes.map(({ id }) => [id, hash([seed, id])]));
  return [...changes].sort((a, b) => (place.get(a.id) < place.get(b.id) ? -1 : 1));
}

/** The source of the file with the change in it. */
export function changed(content, { location: { start, end }, replacement }) {
  const lines = content.split('\n');
  const before = [...lines.slice(0, start.line), lines[start.line].slice(0, start.column)];
  const after = [lines[end.line].slice(end.column), ...lines.slice(end.line + 1)];
  return `${before.join('\n')}${replacement}${after.join('\n')}`;
}

function textAt(lines, { start, end }) {
  const whole = lines.slice(start.line, end.line + 1);
  whole[whole.length - 1] = whole.at(-1).slice(0, end.column);
  whole[0] = whole[0].slice(start.column);
  return whole.join('\n');
}

function hash(parts) {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);
}
