/**
 * `npm run cost`: the monthly bill of a workload; with `--write` it generates the tables of
 * docs/cost.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { billOf, totalOf } from './cost/bill';
import { currentPage } from './cost/page';
import { rivalsOf } from './cost/rivals';
import { causesTable, rivalsTable } from './cost/table';
import { parseWorkload, USAGE, UsageError } from './cost/workload';

const PAGE = path.join(__dirname, '..', 'docs', 'cost.md');

function main(argv: readonly string[]): void {
  if (argv.includes('--write')) {
    writeFileSync(PAGE, currentPage(readFileSync(PAGE, 'utf8')));
    return;
  }
  const parsed = parseWorkload(argv);
  if (parsed === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const { workload, json } = parsed;
  const lines = billOf(workload);
  const output = json
    ? JSON.stringify(
        { workload, lines, total: totalOf(lines), rivals: rivalsOf(workload) },
        null,
        2,
      )
    : `${causesTable(lines)}\n\n${rivalsTable(workload)}\n\nWithout free tiers; prices and assumptions: docs/cost.md.`;
  process.stdout.write(`${output}\n`);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
