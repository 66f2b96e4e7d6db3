import { privateCacheControl } from '../../../core/http/cache-control';

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
