/** Every path, script and command that a document names exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { stowageProgram } from '../../cli/program';
import { filesBelow, ROOT, type SourceFile } from './sources';

const DOCUMENTS = filesBelow('', ['.md']).filter(
  ({ path: file }) => file !== 'CHANGELOG.md' && !file.startsWith('docs/reference/'),
);

/** Folders and files that a command makes. */
const MADE = /^(dist|cdk\.out|coverage|node_modules|\.local|docs\/reference)(\/|$)/;

/** Files of other kinds, such as JSON, may be what a user has or what a command makes. */
const SOURCE = /\w\.(tsx?|mjs|cjs|js|md|pml|go)$/;

const COMMANDS = new Set(['start', 'help', ...namesOf(stowageProgram())]);

function namesOf(program: Command): readonly string[] {
  return program.commands.flatMap((command) => [command.name(), ...command.aliases()]);
}

/** Every file and folder of the project, relative to its root. */
const ENTRIES = entriesBelow('');

function entriesBelow(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const relative = path.posix.join(folder, entry.name);
    if (entry.name === '.git' || MADE.test(relative) || entry.name === 'node_modules') return [];
    return entry.isDirectory() ? [relative, ...entriesBelow(relative)] : [relative];
  });
}

/** `core/{log,objects}` -> `core/log`, `core/objects`. */
function expanded(text: string): readonly string[] {
  const [, before, choices, after] = /^(.*?)\{([^}]*)\}(.*)$/.exec(text) ?? [];
  if (before === undefined || choices === undefined || after === undefined) return [text];
  return choices.split(',').flatMap((choice) => expanded(before + choice + after));
}

/** `<function>`, `NAME` and `*` stand for any name. */
function isFound(named: string): boolean {
  const pattern = named
    .replace(/\/$/, '')
    .split(/<[^>]+>|\*+|\b[A-Z]{4}\b/)
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^/]+');
  // Without an extension in the last place: `core/log/commit` is core/log/commit.ts.
  const wanted = new RegExp(`(^|/)${pattern}(\\.tsx?)?$`);
  return ENTRIES.some((entry) => wanted.test(entry));
}

/** A path begins with an entry of the root or of the document's folder, or ends as a file does. */
function isPath(text: string, from: string): boolean {
  if (!/^\.?[\w<*{][\w.<>*{},/-]*$/.test(text)) return false;
  const [first = ''] = text.split('/');
  if (SOURCE.test(text)) return true;
  const isEntry = [ROOT, path.join(ROOT, from)].some((folder) =>
    existsSync(path.join(folder, first)),
  );
  return text.includes('/') && isEntry;
}

function withoutBlocks(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '');
}

function wrongPaths({ path: file, text }: SourceFile): readonly string[] {
  const from = path.posix.dirname(file);
  const quoted = [...withoutBlocks(text).matchAll(/`([^`\s]+)`/g)].map(([, span = '']) => span);
  return quoted
    .filter((span) => isPath(span, from) && !MADE.test(span))
    .flatMap(expanded)
    .filter((named) => !isFound(named));
}

function wrongLinks({ path: file, text }: SourceFile): readonly string[] {
  const targets = [...withoutBlocks(text).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)];
  return targets
    .map(([, target = '']) => target)
    .filter((target) => !/^\w+:/.test(target))
    .filter((target) => {
      const named = path.posix.join(path.posix.dirname(file), target);
      return !MADE.test(named) && !existsSync(path.join(ROOT, named));
    });
}

function wrongScripts({ path: file, text }: SourceFile): readonly string[] {
  const own = path.join(ROOT, path.dirname(file), 'package.json');
  const scripts = [path.join(ROOT, 'package.json'), own].flatMap((manifest) =>
    existsSync(manifest) ? Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).scripts) : [],
  );
  const named = [...text.matchAll(/\bnpm run (?:--silent )?([\w:-]*\w)/g)];
  const steps = [...text.matchAll(/\.ci\/steps\/[a-z][\w-]+/g)].map(([step]) => step);
  return [
    ...named.map(([, script = '']) => script).filter((script) => !scripts.includes(script)),
    ...steps.filter((step) => !existsSync(path.join(ROOT, step))),
  ];
}

function wrongCommands({ text }: SourceFile): readonly string[] {
  const named = [...text.matchAll(/(?:`|^|npx |silent )stowage (?:-- )?([a-z][a-z-]*)/gm)];
  return named.map(([, command = '']) => command).filter((command) => !COMMANDS.has(command));
}

describe.each([
  ['path', wrongPaths],
  ['link', wrongLinks],
  ['script', wrongScripts],
  ['command', wrongCommands],
] as const)('a %s that a document names', (_kind, wrong) => {
  test('exists', () => {
    const found = DOCUMENTS.flatMap((document) =>
      wrong(document).map((name) => `${document.path}: ${name}`),
    );
    expect(found).toEqual([]);
  });
});

test.each([
  ['a path', wrongPaths, '`core/limits.ts`, `core/{errors,gone}.ts`', ['core/gone.ts']],
  ['a folder', wrongPaths, '`test/<any>/`, `test/gone/`', ['test/gone/']],
  ['a file without its folder', wrongPaths, '`limits.ts`, `gone.ts`', ['gone.ts']],
  ['a link', wrongLinks, '[a](design.md#folders) [b](gone.md)', ['gone.md']],
  ['a script', wrongScripts, '`npm run lint`, `npm run gone`', ['gone']],
  ['a step', wrongScripts, '`.ci/steps/package`, `.ci/steps/gone`', ['.ci/steps/gone']],
  ['a command', wrongCommands, '`stowage cp a b`, `stowage gone`', ['gone']],
] as const)('%s that does not exist is found', (_kind, wrong, text, expected) => {
  expect(wrong({ path: 'docs/a.md', text })).toEqual(expected);
});
