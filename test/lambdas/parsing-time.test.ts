/** The time to parse input of others grows no faster than the input. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { TAG_LIST } from '../../core/http/conditions';
import { verifyContentDigest } from '../../core/http/digests';
import { parseRequest } from '../../lambdas/internal/payload';
import { resourceOf } from '../../service/routes/routes';
import { createSite } from '../../service/site/site';

const site = createSite({
  files: new Map([
    ['/', { type: 'text/html', bytes: Buffer.of(), etag: 'W/"a"', isImmutable: false }],
  ]),
  origins: { connectTo: [], show: [] },
});

const siteRequest = (headers: Record<string, string>) =>
  site({
    path: '/',
    httpMethod: 'GET',
    headers,
    requestContext: { requestId: 'r-1', path: '/api/' },
  } as unknown as APIGatewayProxyEvent);

const payload = (range: string) =>
  parseRequest({ method: 'GET', path: '/', headers: { range } }, 'r-1');

function ignoringErrors(run: () => unknown): void {
  try {
    run();
  } catch {
    // Refusing takes time too.
  }
}

const TIMES_LONGER = 8;

/** Processor time of some calls in microseconds, the least of several measurements. */
function cost(run: () => void): number {
  run();
  const rounds = Array.from({ length: 4 }, () => {
    const before = process.cpuUsage();
    for (let n = 0; n < 10; n++) run();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...rounds);
}

test.each<[string, (length: number) => unknown]>([
  ['a list of entity tags', (n) => TAG_LIST.test(`"a"${' '.repeat(n)}x`)],
  ['many entity tags', (n) => TAG_LIST.test(`${'"a" , '.repeat(n / 6)}x`)],
  ['If-None-Match of a page', (n) => siteRequest({ 'if-none-match': `${' '.repeat(n)}x` })],
  ['Accept-Encoding of a page', (n) => siteRequest({ 'accept-encoding': 'gzip ;'.repeat(n / 6) })],
  ['a header of an invocation', (n) => payload(`a${' '.repeat(n)}b`)],
  ['Content-Digest', (n) => verifyContentDigest(' '.repeat(n), Buffer.of(), '')],
  ['a path', (n) => resourceOf(`/api/v2/storage/objects/${'a'.repeat(n)}\n`)],
])('the time to read %s grows with its length, not with a power of it', (_what, read) => {
  const length = 1500;
  const short = cost(() => ignoringErrors(() => read(length)));
  const long = cost(() => ignoringErrors(() => read(TIMES_LONGER * length)));
  // Below this much time the measurement is noise.
  const noise = 200;
  expect(long / Math.max(short, noise)).toBeLessThan(TIMES_LONGER ** 1.6);
});
