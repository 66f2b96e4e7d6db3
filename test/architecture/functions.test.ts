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

test.each(Object.entries(MAX_LINES))(
  'a function of a %s file has at most %d lines',
  (kind, max) => {
    const long = filesBelow('', [kind])
      .filter(({ path }) => !/^(emulator\/)?test\//.test(path))
      .flatMap(functionsOf)
      .filter(({ lines }) => lines > max)
      .map(({ name, lines }) => `${name}: ${lines} lines`);
    expect(long).toEqual([]);
  },
);

test(`a function has at most ${MAX_PARAMETERS} parameters; more go into an object`, () => {
  const many = filesBelow('', ['.ts', '.tsx'])
    .filter(({ path }) => !/^(emulator\/)?test\//.test(path))
    .flatMap(functionsOf)
    .filter(({ parameters }) => parameters > MAX_PARAMETERS)
    .map(({ name, parameters }) => `${name}: ${parameters} parameters`);
  expect(many).toEqual([]);
});

test('a long function with many parameters is found', () => {
  const text = `export function f(a, b, c, d, e) {${'\n'.repeat(70)}}`;
  expect(functionsOf({ path: 'core/a.ts', text })).toEqual([
    { name: 'core/a.ts:1 f', lines: 71, parameters: 5 },
  ]);
});
