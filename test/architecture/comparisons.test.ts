/** The tables that compare stowage with other tools name a test for each feature of stowage. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(__dirname, '../..');

const TESTS = readdirSync(path.join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/${file.split(path.sep).join('/')}`);

const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** The cells of the table below a heading, without its first two rows. */
function rowsBelow(document: string, heading: string): readonly (readonly string[])[] {
  const section = textOf(document).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows
    .map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
    .filter(([first = '']) => first !== '' && !first.startsWith('-'));
}

/** The files of tests that a name stands for: a path, or the end of one, without `.test.ts`. */
function filesOf(name: string): readonly string[] {
  const plain = name.replace(/`|\.test\.ts$/g, '');
  return TESTS.filter((file) =>
    ['.test.ts', '/'].some((end) => `/${file}`.includes(`/${plain}${end}`)),
  );
}

/** Whether one of the files has a test of this title, in which … stands for anything. */
function hasTitle(files: readonly string[], title: string): boolean {
  const parts = title.split('…').map((part) => part.trim());
  const pattern = new RegExp(
    parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*'),
  );
  return files.some((file) => pattern.test(textOf(file)));
}

test('each "yes" in the comparison of docs/client.md names a test', () => {
  const rows = rowsBelow('docs/client.md', 'Beside other clients');
  expect(rows.length).toBeGreaterThan(25);
  const wrong = rows
    .map((cells) => cells.at(-1) ?? '')
    .filter((cell) => {
      if (cell.startsWith('no: ')) return false;
      const [, name = '', rest = ''] = /^yes[^:]*: ([^,;]+)(.*)$/.exec(cell) ?? [];
      if (name.startsWith('`.ci/steps/')) return textOf(name.replaceAll('`', '')) === '';
      const files = filesOf(name);
      const titles = [...rest.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title);
      return files.length === 0 || !titles.every((title) => hasTitle(files, title));
    });
  expect(wrong).toEqual([]);
});

test('each row in the comparison of docs/cli.md names a test or begins with "no"', () => {
  const rows = rowsBelow('docs/cli.md', 'Beside mc, rclone, aws s3 and gh');
  expect(rows.length).toBeGreaterThan(25);
  const ofCommands = filesOf('test/system/cli');
  const wrong = rows.filter(([, , stowage = '', tests = '']) => {
    if (stowage.startsWith('no: ') || tests === 'Test') return false;
    if (tests === '') return true;
    return !tests.split(', ').every((each) => {
      const [, name, title = ''] = /^((?:test\/)?[\w/.-]+\.test\.ts|test\/[\w/]+)(?:: (.+))?$/.exec(
        each,
      ) ?? [undefined, undefined, each];
      const files = name === undefined ? ofCommands : filesOf(name);
      return files.length > 0 && hasTitle(files, title);
    });
  });
  expect(wrong).toEqual([]);
});
