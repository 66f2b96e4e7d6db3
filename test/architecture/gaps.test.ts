/** The rows of test/deploy/ministack.md, and the checks that they still apply. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { GAPS } from '../deploy/gaps';
import { strictGaps } from '../deploy/gaps/gateway';

const page = readFileSync(path.join(__dirname, '..', 'deploy', 'ministack.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (What|---)/.test(line))
  .map((line) => line.slice(2, -2).split(' | '));

test('each row of ministack.md says how it is checked', () => {
  expect(rows.length).toBeGreaterThan(15);
  for (const cells of rows) {
    expect([cells[0], cells.length]).toEqual([cells[0], 4]);
    expect(['`gaps.ts`', 'by hand']).toContain(cells[3]);
  }
});

test('gaps.ts checks exactly the rows that name it', () => {
  const said = rows.filter(([, , , how]) => how === '`gaps.ts`').map(([what = '']) => what);
  const checked = [...GAPS, ...strictGaps].map(({ row }) => row);
  const plain = said.map((what) => what.replaceAll(/[*`]/g, ''));
  expect(plain.sort()).toEqual(checked.filter((row) => row !== 'stage throttling').sort());
});
