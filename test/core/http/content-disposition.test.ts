/** The Content-Disposition of a download: RFC 6266, with the grammar of RFC 9110 and RFC 8187. */
import fc from 'fast-check';
import { safeContentDisposition } from '../../../core/http/content-disposition';

const parse = (value: unknown) => safeContentDisposition(value, 'disposition');

test.each([
  ['attachment', 'attachment'],
  ['INLINE', 'inline'],
  [
    'attachment; filename="Übung (1).pdf"',
    'attachment; filename="_bung (1).pdf"; filename*=UTF-8\'\'%C3%9Cbung%20%281%29.pdf',
  ],
  ['aTTACHMENT;\t  FILENAME="~"', 'attachment; filename="~"'],
  ['attachment; filename=""', 'attachment; filename=""'],
  [
    'inline; fileNAME="ä\'*.txt"',
    "inline; filename=\"_'*.txt\"; filename*=UTF-8''%C3%A4%27%2A.txt",
  ],
  ['attachment; filename="a b.txt"', 'attachment; filename="a b.txt"'],
  ['attachment;filename=a.txt', 'attachment; filename="a.txt"'],
  ['attachment ; FileName="a.txt"', 'attachment; filename="a.txt"'],
  ['inline; filename="ä.txt"', `inline; filename="_.txt"; filename*=UTF-8''%C3%A4.txt`],
  ['inline; filename="100%;.txt"', `inline; filename="100__.txt"; filename*=UTF-8''100%25%3B.txt`],
  [
    String.raw`inline; filename="a \"quote\" \\ b"`,
    `inline; filename="a _quote_ _ b"; filename*=UTF-8''a%20%22quote%22%20%5C%20b`,
  ],
  [
    `attachment; filename*=UTF-8''%e2%82%ac.txt`,
    `attachment; filename="_.txt"; filename*=UTF-8''%E2%82%AC.txt`,
  ],
  [`inline; filename="x"; filename*=utf-8'en'y`, 'inline; filename="y"'],
  [`inline; filename*=utf-8'en'y; filename="x"`, 'inline; filename="y"'],
  [
    `attachment;FILENAME*=UTF-8''%e2%82%ac.txt ; filename=EUR.txt`,
    `attachment; filename="_.txt"; filename*=UTF-8''%E2%82%AC.txt`,
  ],
])('%s is sent as %s', (value, expected) => {
  expect(parse(value)).toBe(expected);
});

test.each([
  '',
  'form-data',
  'x attachment',
  'attachment; \u00a0filename="a"',
  'attachment; filename="a\u007f"',
  'attachment; filename="a"; x=y',
  'attachment\r\nX: y',
  ['attachment'],
  'attachment; filename=',
  'attachment; filename="a',
  'attachment; filename="a"b"',
  String.raw`attachment; filename="a\"`,
  'attachment; filename="a\r\nSet-Cookie: x"',
  'attachment; filename="\ud83d"',
  "attachment; filename*=iso-8859-1'en'a",
  'attachment; name=a',
  'attachment; filename=a; filename=b',
  `attachment; filename*=UTF-8''a; filename=b; filename*=UTF-8''c`,
  `attachment; filename=a; filename*=UTF-8''b; filename=c`,
  `attachment; filename*=UTF-8''a; filename*=UTF-8''b`,
  5,
  undefined,
])('%j is refused', (value) => {
  expect(() => parse(value)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

test.each([
  ['inline; filename="invoice_\u202efdp.exe"', '%E2%80%AE'],
  [`inline; filename*=UTF-8''a%0D%0Ab`, '%0D'],
  ['inline; filename="a\u2028b"', '%E2%80%A8'],
])('characters that hide how a name is read are not sent: %j', (value, hidden) => {
  expect(parse(value)).toMatch(/filename="[ -~]*_/);
  expect(parse(value)).not.toContain(hidden);
});

test('any name is sent in one header, and its extended form decodes to the name', () => {
  const names = fc.string({ unit: 'grapheme', minLength: 1 });
  fc.assert(
    fc.property(names, (name) => {
      const sent = parse(`attachment; filename="${name.replace(/["\\]/g, '\\$&')}"`);
      expect(sent).toMatch(/^attachment; filename="[ !#-[\]-~]*"(; filename\*=UTF-8''[!-~]+)?$/);
      const [, extended] = sent.split("UTF-8''");
      if (extended) expect(decodeURIComponent(extended)).toBe(name);
    }),
  );
});
