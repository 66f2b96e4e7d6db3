/** Parsers of what callers send take linear time: a quadratic one would need minutes here. */
import { TAG_LIST } from '../../core/http/conditions';
import { verifyContentDigest } from '../../core/http/digests';
import { parseRequest } from '../../lambdas/internal/payload';
import { resourceOf } from '../../service/routes/routes';
import { createSite } from '../../service/site/site';
import { incomingRequest } from '../support/requests';

const site = createSite({
  files: new Map([
    ['/', { type: 'text/html', bytes: Buffer.of(), etag: 'W/"a"', isImmutable: false }],
  ]),
  origins: { connectTo: [], show: [] },
});

const siteRequest = (headers: Record<string, string>) =>
  site({ ...incomingRequest({ path: '', headers }), path: '/' });

const payload = (range: string) =>
  parseRequest({ method: 'GET', path: '/', headers: { range } }, 'r-1');

const LENGTH = 1_000_000;

test.each<[string, (length: number) => unknown]>([
  ['a list of entity tags', (n) => TAG_LIST.test(`"a"${' '.repeat(n)}x`)],
  ['many entity tags', (n) => TAG_LIST.test(`${'"a" , '.repeat(n / 6)}x`)],
  ['If-None-Match of a page', (n) => siteRequest({ 'if-none-match': `${' '.repeat(n)}x` })],
  ['Accept-Encoding of a page', (n) => siteRequest({ 'accept-encoding': 'gzip ;'.repeat(n / 6) })],
  ['a header of an invocation', (n) => payload(`a${' '.repeat(n)}b`)],
  ['Content-Digest', (n) => verifyContentDigest(' '.repeat(n), Buffer.of(), '')],
  ['a path', (n) => resourceOf(`/api/v2/storage/objects/${'a'.repeat(n)}\n`)],
])('%s of a million characters is parsed within five seconds of processor time', (_what, read) => {
  const before = process.cpuUsage();
  try {
    read(LENGTH);
  } catch {
    // A refusal has parsed the input as well.
  }
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(5);
});
