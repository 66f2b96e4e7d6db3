import ts from 'typescript';
import { filesBelow, type SourceFile } from './sources';

/** One screen. Markup of a React component takes a line for each property. */
const MAX_LINES = { '.ts': 60, '.tsx': 100 } as const;

const MAX_PARAMETERS = 4;

interface Found {
  readonly name: string;
  readonly lines: number;
  readonly parameters: number;
}

function functionsOf(file: SourceFile): readonly Found[] {
  const kind = file.path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true, kind);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const line = (position: number) => source.getLineAndCharacterOfPosition(position).line;
      found.push({
        name: `${file.path}:${line(node.getStart()) + 1} ${node.name?.getText() ?? ''}`.trim(),
        lines: line(node.end) - line(node.getStart()) + 1,
        parameters: node.parameters.length,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const FUNCTIONS = filesBelow('', ['.ts', '.tsx'])
  .filter(({ path }) => !/^(emulator\/)?test\//.test(path))
  .flatMap(functionsOf);

test.each(Object.entries(MAX_LINES))(
  'a function of a %s file has at most %d lines',
  (kind, max) => {
    const long = FUNCTIONS.filter(({ name, lines }) => name.includes(`${kind}:`) && lines > max);
    expect(long.map(({ name, lines }) => `${name}: ${lines} lines`)).toEqual([]);
  },
);

test(`a function has at most ${MAX_PARAMETERS} parameters`, () => {
  const many = FUNCTIONS.filter(({ parameters }) => parameters > MAX_PARAMETERS);
  expect(many.map(({ name, parameters }) => `${name}: ${parameters} parameters`)).toEqual([]);
});

test('functionsOf() counts the lines and parameters of a function', () => {
  const text = `export function f(a, b, c, d, e) {${'\n'.repeat(70)}}`;
  expect(functionsOf({ path: 'core/a.ts', text })).toEqual([
    { name: 'core/a.ts:1 f', lines: 71, parameters: 5 },
  ]);
});
