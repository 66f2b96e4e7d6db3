import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { totalOf } from '../../../scripts/cost/bill';
import { currentPage } from '../../../scripts/cost/page';
import { usd } from '../../../scripts/cost/table';
import { parseWorkload, UsageError } from '../../../scripts/cost/workload';

const ROOT = path.join(__dirname, '..', '..', '..');
const PAGE = readFileSync(path.join(ROOT, 'docs/cost.md'), 'utf8');

test('the tables of docs/cost.md are what npm run cost -- --write generates', () => {
  expect(currentPage(PAGE)).toBe(PAGE);
});

test('parseWorkload accepts numbers in the form 1e6', () => {
  expect(parseWorkload(['--puts', '1e6', '--overwrites', '0.5', '--no-edge'])).toMatchObject({
    workload: { puts: 1_000_000, overwrites: 0.5, edge: false, buckets: 1 },
  });
});

test.each([
  [['--puts', 'many'], '--puts must be a number'],
  [['--puts', ''], '--puts must be a number'],
  [['--gets=-1'], '--gets must be a number'],
  [['--overwrites', '2'], '--overwrites must be a number from 0 to 1'],
  [['--buckets', '0'], '--buckets must be a number from 1'],
  [['--gb', '1', '--size', '0'], '--size must be above 0'],
  [['--metrics', 'some'], '--metrics must be all, essential, none; got some'],
  [['--plan', 'gold'], '--plan must be free, pro, business, premium; got gold'],
  [['--plan', 'free', '--no-edge'], '--plan needs the edge and its web ACL'],
  [['--plan', 'free', '--no-web-acl'], '--plan needs the edge and its web ACL'],
  [['--plan', 'free', '--gets', '2e7'], 'allows less traffic than this; it takes business'],
  [['--plan', 'premium', '--gets', '1e9'], 'allows less traffic than this; it takes more'],
  [['--put', '1'], '--help'],
  [['7'], '--help'],
])('parseWorkload refuses %j with a message that says what to write', (flags, message) => {
  expect(() => parseWorkload(flags)).toThrow(UsageError);
  expect(() => parseWorkload(flags)).toThrow(message);
});

test.each([
  [0, '$0.00'],
  [0.004, '< $0.01'],
  [0.005, '$0.01'],
  [1234.5, '$1,234.50'],
])('usd writes %d as %s', (amount, text) => {
  expect(usd(amount)).toBe(text);
});

test('the command prints the bill, its lines as JSON, the help, and what is wrong with a flag', () => {
  const tsx = path.join(ROOT, 'node_modules/.bin/tsx');
  const script = path.join(ROOT, 'scripts/cost.ts');
  const run = (...flags: string[]) => execFileSync(tsx, [script, ...flags], { encoding: 'utf8' });
  expect(run('--puts', '1e6')).toMatch(/\| PUT \|[^\n]+\n/);
  const { total, lines } = JSON.parse(run('--puts', '1e6', '--json'));
  expect(total).toBeCloseTo(totalOf(lines));
  expect(run('--help')).toContain('--puts');
  const wrong = spawnSync(tsx, [script, '--puts', 'x'], { encoding: 'utf8' });
  expect([wrong.status, wrong.stderr]).toEqual([
    1,
    expect.stringMatching(/^--puts must be[^\n]+\n$/),
  ]);
});
