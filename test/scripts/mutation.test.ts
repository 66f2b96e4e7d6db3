/** How a sample of changes is drawn, and what it says about all of them. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../support/temporary-folder';

const ROOT = path.join(__dirname, '../..');
const data = temporaryFolder('mutation');
afterAll(() => void data.remove());

/** The value of an expression with the exports of a module, which jest cannot import. */
function evaluated(module: string, expression: string, cwd = ROOT): unknown {
  const from = JSON.stringify(path.join(ROOT, 'scripts/mutation', module));
  const code = `import * as tool from ${from}; console.log(JSON.stringify(await (${expression})));`;
  const run = ['--input-type=module', '--eval', code];
  return JSON.parse(execFileSync(process.execPath, run, { cwd, encoding: 'utf8' }));
}

test('the interval of a score is that of Wilson', () => {
  const intervals = evaluated(
    'report.mjs',
    '[tool.wilson(0, 0), tool.wilson(0, 10), tool.wilson(10, 10), tool.wilson(81, 263)]',
  ) as number[][];
  // The last is the example of Newcombe, Statistics in Medicine 17 (1998), table I: 0.2553, 0.3662.
  const rounded = intervals.map((interval) => interval.map((bound) => Number(bound.toFixed(4))));
  expect(rounded).toEqual([
    [0, 1],
    [0, 0.2775],
    [0.7225, 1],
    [0.2553, 0.3662],
  ]);
});

test('a report counts what tests noticed, and leaves out what is equivalent or was not tried', () => {
  const change = (id: string) => ({
    ...{ id, file: `${id}.ts`, original: 'a  < b', replacement: 'a <= b' },
    location: { start: { line: 6, column: 2 }, end: { line: 6, column: 7 } },
  });
  const drawn = [
    { sources: 'core', changes: ['killed', 'late', 'lives', 'same', 'untried'].map(change) },
    { sources: 'client', changes: [change('uncovered')] },
  ];
  const results = {
    ...{ killed: 'Killed', late: 'Timeout', lives: 'Survived', same: 'Survived' },
    uncovered: 'NoCoverage',
  };
  const input = { drawn, results, equivalent: { same: 'the bound is never met' }, title: 'seed 3' };
  const report = evaluated('report.mjs', `tool.reportOf(${JSON.stringify(input)})`) as string;
  expect(report.split('\n')).toEqual([
    'seed 3: 5 of 6 drawn changes tried',
    '',
    '| Folder | Tried | Noticed | Equivalent | Score |',
    '|---|---|---|---|---|',
    '| core | 4 | 2 | 1 | 66.7 % (20.8 % to 93.9 %) |',
    '| client | 1 | 0 | 0 | 0.0 % (0.0 % to 79.3 %) |',
    '| all | 5 | 2 | 1 | 50.0 % (15.0 % to 85.0 %) |',
    '',
    ...['lives lives.ts:7:3', '  a < b', '  => a <= b', '  Survived'],
    ...['same same.ts:7:3', '  a < b', '  => a <= b', '  equivalent: the bound is never met'],
    ...['uncovered uncovered.ts:7:3', '  a < b', '  => a <= b', '  NoCoverage'],
  ]);
});

test('a change keeps its id while other lines change, and the seed alone decides the order', () => {
  const source = 'export const smaller = (a: number, b: number) => a < b;\n';
  const idsOf = (text: string) => {
    writeFileSync(path.join(data.folder, 'a.ts'), text);
    const all = `await tool.changesOf(['a.ts'])`;
    const ids = '(changes) => changes.map(({ id }) => id)';
    return evaluated(
      'draw.mjs',
      `(async () => { const all = ${all}; return [all, tool.inOrderOf(1, all),
        tool.inOrderOf(1, [...all].reverse()), tool.inOrderOf(2, all)].map(${ids}); })()`,
      data.folder,
    ) as string[][];
  };
  const [ids, first, firstAgain, second] = idsOf(`${source}export const one = 1 + 1;\n`);
  const [moved] = idsOf(`// A comment.\n\n${source}export const one = 1 + 1;\n`);
  expect(moved).toEqual(ids);
  expect(new Set(ids).size).toBe(ids?.length);
  expect(firstAgain).toEqual(first);
  expect([...(first ?? [])].sort()).toEqual([...(ids ?? [])].sort());
  expect(second).not.toEqual(first);
});

test('a change is put in its place, also over several lines', () => {
  const change = {
    location: { start: { line: 1, column: 4 }, end: { line: 2, column: 2 } },
    replacement: 'X',
  };
  const text = 'one\ntwo three\nfour\nfive';
  expect(
    evaluated('draw.mjs', `tool.changed(${JSON.stringify(text)}, ${JSON.stringify(change)})`),
  ).toBe('one\ntwo Xur\nfive');
});

test('every source of core, lambdas and client has tests that are tried with it', () => {
  const untested = evaluated(
    'draw.mjs',
    `(async () => {
      const { readFileSync } = await import('node:fs');
      const units = JSON.parse(readFileSync('test/mutation/units.json', 'utf8'));
      return tool.sourcesOf(['core', 'service', 'adapters', 'lambdas', 'client'])
        .filter((file) => !units.some(({ sources }) => file.startsWith(sources + '/')));
    })()`,
  );
  expect(untested).toEqual([]);
});
