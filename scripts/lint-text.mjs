// `npm run lint`: comments and documents end at column 100, as the code does, and a line with the
// mark of a code block has nothing else but its language. The formatter sees neither. Arguments
// name the files to look at; without any, all files of the repository.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './installed.mjs';

const COLUMNS = 100;

const COMMENT = {
  slash: /^\s*(\/\/|\/\*|\*)/,
  hash: /^\s*#/,
};

const KINDS = new Map([
  ...['.ts', '.tsx', '.mjs', '.cjs', '.js', '.java', '.css', '.pml'].map((end) => [end, 'slash']),
  ...['.py', '.sh', '.yaml', '.yml', '.toml', ''].map((end) => [end, 'hash']),
  ['.md', 'prose'],
]);

/** A line that cannot be wrapped: a table row, or a single word such as a link. */
const isWhole = (line) =>
  /^\s*\|/.test(line) || !/\S\s+\S/.test(line.replace(/^\s*([-*#>]|\d+\.|\/\/|\*)\s+/, ''));

/** A tool reads these from one line. */
const DIRECTIVE = /biome-ignore|eslint-disable|sourceMappingURL/;

/** Returns the numbers of the lines of a file that are too long, from 1. */
export function longLines(name, text) {
  const kind = KINDS.get(path.extname(name));
  if (kind === undefined) return [];
  let isCode = false;
  return text.split('\n').flatMap((line, index) => {
    if (kind === 'prose' && /^\s*```/.test(line)) isCode = !isCode;
    if (line.length <= COLUMNS || isWhole(line) || DIRECTIVE.test(line)) return [];
    const counts = kind === 'prose' ? !isCode : COMMENT[kind].test(line);
    return counts ? [index + 1] : [];
  });
}

/** Returns the numbers of the lines, from 1, with more than the mark of a code block. */
export function brokenBlocks(name, text) {
  if (path.extname(name) !== '.md') return [];
  return text
    .split('\n')
    .flatMap((line, index) =>
      line.includes('```') && !/^\s*```\w*$/.test(line) ? [index + 1] : [],
    );
}

function main(names) {
  const listed =
    names.length > 0
      ? names
      : execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const found = listed.flatMap((name) => {
    if (!KINDS.has(path.extname(name))) return [];
    const text = readFileSync(path.join(root, name), 'utf8');
    return [
      ...longLines(name, text).map((line) => `${name}:${line}: longer than ${COLUMNS} columns`),
      ...brokenBlocks(name, text).map(
        (line) =>
          `${name}:${line}: the mark of a code block has a line of its own, with its language only`,
      ),
    ];
  });
  for (const message of found) console.error(message);
  if (found.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2));
