/**
 * The tables of docs/cost.md stand between comments that name them; the words around them are
 * written by hand.
 */
import { billOf } from './bill';
import { causesTable, pricesTable, rivalsTable } from './table';
import { EXAMPLES } from './workload';

const TABLES: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(
    Object.entries(EXAMPLES).map(([name, workload]) => [
      name,
      () => `${causesTable(billOf(workload))}\n\n${rivalsTable(workload)}`,
    ]),
  ),
  Prices: pricesTable,
};

/** The page with every table made anew. Throws when one of them has no place. */
export function currentPage(page: string): string {
  let current = page;
  for (const [name, make] of Object.entries(TABLES)) {
    const [begin, end] = [`<!-- table: ${name} -->\n`, '<!-- end -->'];
    const at = current.indexOf(begin);
    const until = current.indexOf(end, at);
    if (at < 0 || until < 0) throw new Error(`docs/cost.md has no place for the table ${name}`);
    current = `${current.slice(0, at + begin.length)}${make()}\n${current.slice(until)}`;
  }
  return current;
}
