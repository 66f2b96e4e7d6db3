/** Bounds of the payload of an invocation. */
import { parseRequest } from '../../../lambdas/internal/payload';

const GET = { method: 'GET', path: '/x' };
const parse = (more: object = {}) => parseRequest({ ...GET, ...more }, 'request-1');
const refusedAt = (field: string, rule: unknown = expect.any(String)) =>
  expect.objectContaining({ code: 'invalid_request', details: { field, rule } });

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`h${n}`, '']));

test.each([
  { method: 'A'.repeat(16) },
  { path: `/${'a'.repeat(2047)}` },
  { path: '/%C3%A4"$>@~' },
  { headers: many(200) },
  { headers: { a: 'b'.repeat(10_239) } },
  { query: { a: 'b'.repeat(10_239) } },
  { headers: { [`${'x'.repeat(255)}~`]: '\t ~' } },
  { body: 'ab+/', isBase64: true },
  { body: 'a*b' },
])('the payload %j at its bounds is accepted', (more) => {
  expect(parse(more)).toMatchObject({ requestId: 'request-1' });
});

test.each<[object, string]>([
  [{ method: 'A'.repeat(17) }, 'method'],
  [{ method: 'xGET' }, 'method'],
  [{ method: 'GET ' }, 'method'],
  [{ method: '' }, 'method'],
  [{ path: `/${'a'.repeat(2048)}` }, 'path'],
  [{ path: 'x/' }, 'path'],
  [{ path: '/ ' }, 'path'],
  [{ headers: many(201) }, 'headers'],
  [{ headers: { a: 'b'.repeat(10_240) } }, 'headers'],
  [{ headers: { a: 'b'.repeat(5_000), c: 'd'.repeat(5_300) } }, 'headers'],
  [{ query: { a: 'b'.repeat(10_240) } }, 'query'],
  [{ headers: { 'a b': 'c' } }, 'headers.a b'],
  [{ headers: { '': 'c' } }, 'headers.'],
  [{ headers: { ['x'.repeat(257)]: 'c' } }, `headers.${'x'.repeat(92)}…`],
  [{ headers: { a: 'b\u007f' } }, 'headers.a'],
  [{ headers: { a: '\u00e9b' } }, 'headers.a'],
  [{ headers: { a: '1', A: '2' } }, 'headers.A'],
  [{ query: { '\ud800': 'x' } }, 'query.\ud800'],
  [{ body: '*aaa', isBase64: true }, 'body'],
  [{ body: 'aaa*', isBase64: true }, 'body'],
  [{ body: 'a===', isBase64: true }, 'body'],
  [{ isBase64: null }, 'isBase64'],
])('the payload %j is refused, and names its field', (more, field) => {
  expect(() => parse(more)).toThrow(refusedAt(field));
});

test.each(['method', 'path'])('a payload without %s is refused: it is required', (field) => {
  expect(() => parse({ [field]: undefined })).toThrow(refusedAt(field, 'is required'));
});
