/** The rows of test/deploy/ministack.md against the checks of test/deploy/gaps.ts. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { GAPS } from '../deploy/gaps';
import { strictGaps } from '../deploy/gaps/gateway';

const page = readFileSync(path.join(__dirname, '..', 'deploy', 'ministack.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (What|---)/.test(line))
  .map((line) => line.slice(2, -2).split(' | '));

test('each row of ministack.md names `gaps.ts` or `by hand` as its check', () => {
  expect(rows.length).toBeGreaterThan(15);
  for (const cells of rows) {
    expect([cells[0], cells.length]).toEqual([cells[0], 4]);
    expect(['`gaps.ts`', 'by hand']).toContain(cells[3]);
  }
});

test('gaps.ts has one check for each row that names it', () => {
  const said = rows.filter(([, , , how]) => how === '`gaps.ts`').map(([what = '']) => what);
  const checked = [...GAPS, ...strictGaps].map(({ row }) => row);
  const plain = said.map((what) => what.replaceAll(/[*`]/g, ''));
  expect(plain.sort()).toEqual(checked.filter((row) => row !== 'stage throttling').sort());
});
