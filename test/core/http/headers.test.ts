import { privateCacheControl } from '../../../core/http/cache-control';
import { safeContentDisposition } from '../../../core/http/content-disposition';

describe('Cache-Control for the caller of a key', () => {
  test.each([
    [undefined, 'private, no-cache'],
    ['', 'private'],
    ['public', 'private'],
    ['max-age=60', 'private, max-age=60'],
    ['Public , max-age=60,immutable', 'private, max-age=60, immutable'],
    ['public, S-MaxAge = 60', 'private'],
    ['must-revalidate, s-maxage=1', 'private, must-revalidate'],
    ['private, max-age=60', 'private, max-age=60'],
    ['private="Set-Cookie"', 'private, private="Set-Cookie"'],
    ['no-store', 'no-store'],
    ['publicity=1', 'private, publicity=1'],
    ['x-public, s-maxage=', 'private, x-public'],
    ['s-maxage\t=\t60', 'private'],
    ['s-maxage', 'private'],
    ['x-private, not-no-store', 'private, x-private, not-no-store'],
    ['no-cache,, NO-STORE', 'no-cache, NO-STORE'],
  ])('is never for shared caches: %j is sent as %j', (stored, sent) => {
    expect(privateCacheControl(stored)).toBe(sent);
  });
});

describe('Content-Disposition of a signed URL', () => {
  test.each([
    ['attachment', 'attachment'],
    ['INLINE', 'inline'],
    ['attachment; filename="a.txt"', 'attachment; filename="a.txt"'],
    [
      'attachment; filename="Übung (1).pdf"',
      'attachment; filename="_bung (1).pdf"; filename*=UTF-8\'\'%C3%9Cbung%20%281%29.pdf',
    ],
    ['INLINE;filename="A ;.TXT"', 'inline; filename="A _.TXT"; filename*=UTF-8\'\'A%20%3B.TXT'],
    ['aTTACHMENT;\t  FILENAME="~"', 'attachment; filename="~"'],
    ['attachment; filename=""', 'attachment; filename=""'],
    [
      'inline; fileNAME="ä\'*.txt"',
      "inline; filename=\"_'*.txt\"; filename*=UTF-8''%C3%A4%27%2A.txt",
    ],
    ['inline; filename="50%.txt"', 'inline; filename="50_.txt"; filename*=UTF-8\'\'50%25.txt'],
  ])('rewrites %s to %s', (given, safe) => {
    expect(safeContentDisposition(given, 'content_disposition')).toBe(safe);
  });

  test.each([
    '',
    'form-data',
    'x attachment',
    'attachment; filename=a',
    'attachment; \u00a0filename="a"',
    'attachment; filename="\ud800"',
    'attachment; filename="a\u007f"',
    'attachment; filename="a"; x=y',
    'attachment; filename="a\r\nSet-Cookie: x"',
    'attachment; filename="a\\"b"',
    'attachment\r\nX: y',
    7,
    ['attachment'],
  ])('rejects %j', (given) => {
    expect(() => safeContentDisposition(given, 'content_disposition')).toThrow(
      'content_disposition',
    );
  });
});
