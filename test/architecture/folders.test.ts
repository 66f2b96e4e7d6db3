import { importsOf } from './imports';
import { filesBelow, type SourceFile } from './sources';

const EXTENSION = /(\/index)?\.(d\.)?tsx?$/;

/**
 * Returns the two entries of one folder through which a file imports another, when one of the
 * entries is a folder: `core/log` and `core/objects` for an import of core/objects/commits/groups
 * in core/log/commit.
 */
function arrowOf(from: string, to: string): readonly [string, string] | undefined {
  const [here, there] = [from.split('/'), to.split('/')];
  const depth = here.findIndex((part, index) => part !== there[index]);
  const isFile = [here, there].every((parts) => parts.length <= depth + 1);
  if (depth === -1 || isFile) return undefined;
  return [here.slice(0, depth + 1).join('/'), there.slice(0, depth + 1).join('/')];
}

/**
 * Returns the pairs of entries of a folder, of which at least one is a folder, whose files import
 * each other. An import of a type counts: neither of the two can be read without the other.
 */
function pairs(files: readonly SourceFile[]): readonly string[] {
  const modules = new Set(files.map((file) => file.path.replace(EXTENSION, '')));
  const arrows = new Set<string>();
  for (const file of files) {
    const module = file.path.replace(EXTENSION, '');
    for (const imported of importsOf(file)) {
      const arrow = modules.has(imported) ? arrowOf(module, imported) : undefined;
      if (arrow !== undefined) arrows.add(arrow.join(' <> '));
    }
  }
  const isPair = (arrow: string) => arrows.has(arrow.split(' <> ').reverse().join(' <> '));
  return [...arrows].filter((arrow) => arrow === inOrder(arrow) && isPair(arrow)).sort();
}

const inOrder = (arrow: string) => arrow.split(' <> ').sort().join(' <> ');

test('no two folders import each other', () => {
  expect(pairs(filesBelow('', ['.ts', '.tsx']))).toEqual([]);
});

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  [
    'two folders, by a type',
    {
      'core/log/commit.ts': "import type { Entry } from '../objects/entry';",
      'core/log/cursor.ts': '',
      'core/objects/entry.ts': '',
      'core/objects/list.ts': "import { cursor } from '../log/cursor';",
    },
    ['core/log <> core/objects'],
  ],
  [
    'two folders, by files in folders below them',
    {
      'core/log/commit.ts': "import { group } from '../objects/commits/group';",
      'core/log/read/page.ts': '',
      'core/objects/commits/group.ts': '',
      'core/objects/list.ts': "import { page } from '../log/read/page';",
    },
    ['core/log <> core/objects'],
  ],
  [
    'a folder and a file beside it',
    {
      'lib/props.ts': "import { Edge } from './gateway/edge';",
      'lib/gateway/edge.ts': '',
      'lib/gateway/api.ts': "import type { Props } from '../props';",
    },
    ['lib/gateway <> lib/props'],
  ],
  [
    'two folders at the top',
    {
      'cli/a.ts': "import { b } from '../client/b';",
      'client/b.ts': "import type { C } from '../cli/c';",
      'cli/c.ts': '',
    },
    ['cli <> client'],
  ],
  [
    'nothing when the imports have one direction',
    {
      'core/log/commit.ts': "import { entry } from '../objects/entry';",
      'core/log/cursor.ts': "import { entry } from '../objects/entry';",
      'core/objects/entry.ts': "import { list } from './list';",
      'core/objects/list.ts': '',
    },
    [],
  ],
])('pairs() finds %s', (_what, texts, expected) => {
  const files = Object.entries(texts).map(([path, text]) => ({ path, text }));
  expect(pairs(files)).toEqual(expected);
});
