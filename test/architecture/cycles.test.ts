import { importsOf } from './imports';
import { filesBelow, type SourceFile } from './sources';

const EXTENSION = /(\/index)?\.(d\.)?tsx?$/;

/**
 * Returns each group of files that import each other, directly or through other files: the strongly
 * connected components (Tarjan 1972). An import of a type counts, because a reader of one file has
 * to read the whole group.
 */
function cycles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const byModule = new Map(files.map((file) => [file.path.replace(EXTENSION, ''), file]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];

  const visit = (module: string, file: SourceFile): void => {
    order.set(module, order.size);
    lowest.set(module, order.size - 1);
    open.push(module);
    for (const imported of importsOf(file)) {
      const next = byModule.get(imported);
      if (next === undefined) continue;
      if (!order.has(imported)) visit(imported, next);
      else if (!open.includes(imported)) continue;
      lowest.set(module, Math.min(lowestOf(module), lowestOf(imported)));
    }
    if (lowestOf(module) !== order.get(module)) return;
    const group = open.splice(open.indexOf(module));
    if (group.length > 1) found.push(group.sort());
  };
  const lowestOf = (module: string) => lowest.get(module) ?? Number.POSITIVE_INFINITY;

  for (const [module, file] of byModule) if (!order.has(module)) visit(module, file);
  return found;
}

test('no file imports itself through other files', () => {
  expect(cycles(filesBelow('', ['.ts', '.tsx']))).toEqual([]);
});

test('cycles() finds a cycle through three files, types included', () => {
  const files = [
    { path: 'core/a.ts', text: "import { b } from './b';" },
    { path: 'core/b.ts', text: "import type { C } from './c';" },
    { path: 'core/c.ts', text: "export { a } from './a';" },
    { path: 'core/d.ts', text: "import { a } from './a';" },
  ];
  expect(cycles(files)).toEqual([['core/a', 'core/b', 'core/c']]);
});
