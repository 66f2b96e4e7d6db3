/**
 * Arbitrary values for a schema: it accepts most of them, barely refuses some, and a few are
 * unrelated to it.
 */
import fc from 'fast-check';
import { SCHEMAS } from '../../openapi/document';
import type { JsonSchema } from '../../openapi/json-schema';
import { createValidator } from './validator';

const SHA256 = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=';

/** Made once: its table of all characters takes longer than all other arbitraries. */
const RANDOM_TEXT = fc.string({ unit: 'binary', maxLength: 12 });

/** For each rule about text, some texts that it accepts and some that it barely refuses. */
const TEXTS: readonly string[] = [
  ...['', ' ', 'a', '*', '/', '//', '.', '..', '%2F', '-', '\u00e9', '\u0000', '\n', '\u007f'],
  ...['photos', 'a-b', 'abc', 'ab', '-ab', 'ab-', 'Abc', 'abc\n', 'a'.repeat(63), 'a'.repeat(64)],
  ...['team-*', 'team*-', '**', `${'a'.repeat(62)}*`, `${'a'.repeat(63)}*`],
  ...['2026/cat.jpg', 'a/./b', 'a/../b', './a', 'a/..', '...', '..a', 'a/', '/a', 'a\u2028b'],
  ...['k'.repeat(900), 'k'.repeat(901), '\u00e9'.repeat(233), '\u00e9'.repeat(234)],
  ...['\u{1f600}'.repeat(116), '\u{1f600}'.repeat(117), '\u{1f600}', '\ud83d', '\ude00a'],
  ...['GET', 'PUT', 'SYNC', 'POST', 'get', 'default', 'gold', 'Default'],
  ...['8sKq2LmVx0Tz', 'indexer', '.indexer'],
  ...['01KAG8Y2M4Q7T9V1X3Z5B7D9F1', '01kag8y2m4q7t9v1x3z5b7d9f1'],
  ...[
    'text/plain',
    'text/plain; charset=utf-8',
    'text',
    'text/plain ;a',
    'text/plain;\u0000',
    'a/b\n',
  ],
  ...[`a/${'b'.repeat(253)}`, `a/${'b'.repeat(254)}`, 'application/x;\u00e9'],
  ...['attachment', 'INLINE', 'inline; filename="x y.txt"', 'attachment; filename="\u00fc"'],
  ...[
    'attachment; filename="a"; x',
    'attachment; filename="a\n"',
    'inline;filename="\\"',
    'form-data',
  ],
  ...[
    '"abc"',
    'W/"abc"',
    '"a", "b"',
    '"a" "b"',
    '"a",',
    '"',
    'abc def',
    ' "abc"',
    '"\u00e9"',
    '"\u0100"',
  ],
  ...[SHA256, SHA256.slice(1), SHA256.replace('Q=', 'R='), `${SHA256}\n`],
  ...[
    '2027-01-31T12:00:00Z',
    '2027-01-31T12:00Z',
    '2027-01-31T12:00:00.123+05:30',
    '2020-01-01T00:00:00Z',
  ],
  ...[
    '2027-01-31',
    '2027-13-01T00:00Z',
    '2027-01-31T24:00Z',
    '2027-01-31T12:00:00',
    '2027-01-31T12:00+24:00',
  ],
  ...[
    'nightly backup',
    ' padded ',
    '\tpadded\n',
    'n'.repeat(100),
    'n'.repeat(101),
    '\u{1f600}'.repeat(100),
  ],
  ...[
    'a\u0085b',
    '\u0085a',
    '\u2028a',
    'a\u001cb',
    '\u001ca',
    '\ufeffa',
    '\u200b',
    '\u3000a\u3000',
    'a b',
  ],
  ...['read', 'list', 'create_bucket', 'Read', 'everything', '__proto__'],
];

const NUMBERS = [-1, 0, 1, 1.5, 3600, 3601, 2 ** 53 - 1, 2 ** 53, 1e300, -0.5];

const JUNK = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, [], {}, [null], [[]], { a: 1 }, ...NUMBERS),
  fc.constantFrom(...TEXTS),
);

const validatorOf = createValidator(Date.parse('2026-11-20T00:00:00Z'));

function resolved(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : { ...SCHEMAS[name], ...schema, $ref: undefined };
}

/** Mostly near the schema, so that whole objects are accepted often enough. */
export function around(given: JsonSchema): fc.Arbitrary<unknown> {
  const schema = resolved(given);
  return fc.oneof({ weight: 24, arbitrary: near(schema) }, { weight: 1, arbitrary: JUNK });
}

function near(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.oneOf) return fc.oneof(...schema.oneOf.map((each) => around(each)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type].flat();
  if (types.includes('object')) return objects(schema);
  if (types.includes('array')) return arrays(schema);
  if (types.includes('integer')) return integers(schema);
  if (types.includes('boolean')) return fc.constantFrom(true, false, 'true', null);
  const accepts = validatorOf(schema);
  const good = TEXTS.filter((text) => accepts(text));
  if (good.length === 0) throw new Error(`no text fits ${JSON.stringify(schema)}`);
  const any = fc.oneof(fc.constantFrom(...TEXTS), RANDOM_TEXT);
  return fc.oneof(
    { weight: 16, arbitrary: fc.constantFrom(...good) },
    { weight: 2, arbitrary: any },
    ...(types.includes('null') ? [{ weight: 4, arbitrary: fc.constant(null) }] : []),
  );
}

function integers({ minimum = 0, maximum = 0 }: JsonSchema): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, minimum + 1e7) }) },
    { weight: 2, arbitrary: fc.constantFrom(minimum, maximum) },
    { weight: 1, arbitrary: fc.constantFrom(minimum - 1, maximum + 1, minimum + 0.5) },
  );
}

function arrays({ items = {}, maxItems = 3 }: JsonSchema): fc.Arbitrary<unknown> {
  const few = fc.array(around(items), { minLength: 1, maxLength: 3 });
  const edge = fc.constantFrom(0, maxItems, maxItems + 1).chain((length) =>
    // Repeats one item, so that the length decides, not one invalid item among fifty.
    near(resolved(items)).map((item) => Array.from({ length }, () => item)),
  );
  return fc.oneof({ weight: 15, arbitrary: few }, { weight: 1, arbitrary: edge });
}

function objects(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties: free } = schema;
  if (typeof free === 'object') return dictionaries(free);

  const fields = Object.entries(properties).map(([name, schema]) => {
    const value = around(schema).map((each): [string, unknown][] => [[name, each]]);
    const weight = required.includes(name) ? 40 : 1;
    return fc.oneof({ weight, arbitrary: value }, { weight: 1, arbitrary: fc.constant([]) });
  });
  const extra = fc.constantFrom('surprise', 'Name', 'constructor', '__proto__', 'toString');
  const unknown = fc.oneof(
    { weight: 20, arbitrary: fc.constant([] as [string, unknown][]) },
    { weight: 1, arbitrary: extra.map((name): [string, unknown][] => [[name, 1]]) },
  );
  return fc
    .tuple(...fields, unknown)
    .map((entries) => Object.fromEntries(entries.flat() as [string, unknown][]));
}

/** Objects whose names are free. */
function dictionaries(values: JsonSchema): fc.Arbitrary<unknown> {
  const good = fc.constantFrom('camera', 'a.b', '__proto__', 'n'.repeat(1000));
  const bad = fc.constantFrom('', 'Camera', 'a b', 'ä', 'a:');
  const name = fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: bad });
  const long = fc.constantFrom('x'.repeat(1048), 'x'.repeat(1049), 'x'.repeat(2048));
  const value = fc.oneof({ weight: 12, arbitrary: around(values) }, { weight: 3, arbitrary: long });
  return fc.array(fc.tuple(name, value), { maxLength: 2 }).map((all) => Object.fromEntries(all));
}
