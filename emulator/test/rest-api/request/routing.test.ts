import type { Route } from '../../../src/services/rest-api/model/methods';
import { createRouter } from '../../../src/services/rest-api/request/routing';

const ROUTES = [
  'ANY /',
  'GET /buckets',
  'POST /buckets',
  'ANY /buckets/{bucket}',
  'ANY /objects/{bucket}',
  'GET /objects/{bucket}/{key+}',
  'ANY /objects/{bucket}/{key+}',
  'GET /objects/{bucket}/special/exact',
  'GET /deep/{a}/literal',
  'ANY /deep/{rest+}',
  'PATCH /users/me',
  'GET /users/{user}',
  'GET /jobs/{job}/x',
  'ANY /jobs/{rest+}',
].map((text): Route => {
  const [httpMethod = '', resourcePath = ''] = text.split(' ');
  return {
    resourceId: resourcePath,
    resourcePath,
    httpMethod,
    functionArn: 'arn',
    streaming: false,
    timeoutMs: 29_000,
    permitted: new Set(),
  };
});

const route = createRouter(ROUTES);
const NOTHING = 'nothing';

function routed(method: string, path: string) {
  const match = route(method, path);
  if (match === undefined) return NOTHING;
  return [`${match.route.httpMethod} ${match.route.resourcePath}`, match.pathParameters];
}

describe('routing', () => {
  test.each([
    ['GET', '/', ['ANY /', null]],
    ['GET', '/buckets', ['GET /buckets', null]],
    ['POST', '/buckets', ['POST /buckets', null]],
    // A trailing slash is ignored; it does not become an empty parameter.
    ['GET', '/buckets/', ['GET /buckets', null]],
    ['GET', '/buckets//', NOTHING],
    ['PUT', '/buckets', NOTHING],
    ['HEAD', '/buckets', NOTHING],
    ['PUT', '/buckets/a', ['ANY /buckets/{bucket}', { bucket: 'a' }]],
    ['GET', '/buckets/a/b', NOTHING],
    ['GET', '/Buckets', NOTHING],
    ['GET', '/%62uckets', NOTHING],
    ['GET', '/nope', NOTHING],
    // An explicit method is preferred to ANY, which covers seven methods.
    ['GET', '/objects/b/k', ['GET /objects/{bucket}/{key+}', { bucket: 'b', key: 'k' }]],
    ['HEAD', '/objects/b/k', ['ANY /objects/{bucket}/{key+}', { bucket: 'b', key: 'k' }]],
    ['TRACE', '/objects/b/k', NOTHING],
    ['get', '/objects/b/k', NOTHING],
    ['', '/objects/b/k', NOTHING],
    // Greedy values are raw: slashes stay, except one trailing slash.
    ['GET', '/objects/b/a/b/c', ['GET /objects/{bucket}/{key+}', { bucket: 'b', key: 'a/b/c' }]],
    ['GET', '/objects/b/a//c', ['GET /objects/{bucket}/{key+}', { bucket: 'b', key: 'a//c' }]],
    ['GET', '/objects/b//a', ['GET /objects/{bucket}/{key+}', { bucket: 'b', key: '/a' }]],
    ['GET', '/objects/b/a/', ['GET /objects/{bucket}/{key+}', { bucket: 'b', key: 'a' }]],
    ['GET', '/objects/b/a//', ['GET /objects/{bucket}/{key+}', { bucket: 'b', key: 'a/' }]],
    ['GET', '/objects/b/a%2Fb', ['GET /objects/{bucket}/{key+}', { bucket: 'b', key: 'a%2Fb' }]],
    ['GET', '/objects/b/../x', ['GET /objects/{bucket}/{key+}', { bucket: 'b', key: '../x' }]],
    ['GET', '/objects/b/', ['ANY /objects/{bucket}', { bucket: 'b' }]],
    ['GET', '/objects/b//', NOTHING],
    ['GET', '/objects//k', NOTHING],
    ['GET', '/objects', NOTHING],
    // A literal is preferred to a parameter, and a parameter to a greedy one.
    ['GET', '/objects/b/special/exact', ['GET /objects/{bucket}/special/exact', { bucket: 'b' }]],
    [
      'GET',
      '/objects/b/special/other',
      ['GET /objects/{bucket}/{key+}', { bucket: 'b', key: 'special/other' }],
    ],
    // A resource that lacks the method gives way to the next one that has it: a parameter, a greedy
    // sibling, one of an ancestor.
    [
      'PUT',
      '/objects/b/special/exact',
      ['ANY /objects/{bucket}/{key+}', { bucket: 'b', key: 'special/exact' }],
    ],
    ['GET', '/users/me', ['GET /users/{user}', { user: 'me' }]],
    ['PATCH', '/users/me', ['PATCH /users/me', null]],
    ['POST', '/users/me', NOTHING],
    ['POST', '/deep/x/literal', ['ANY /deep/{rest+}', { rest: 'x/literal' }]],
    ['POST', '/jobs/all/x/y', ['ANY /jobs/{rest+}', { rest: 'all/x/y' }]],
    ['POST', '/jobs/one/x', ['ANY /jobs/{rest+}', { rest: 'one/x' }]],
    ['GET', '/jobs/one', ['ANY /jobs/{rest+}', { rest: 'one' }]],
    ['TRACE', '/jobs/one', NOTHING],
    ['GET', '/deep/x/literal', ['GET /deep/{a}/literal', { a: 'x' }]],
    ['GET', '/deep/x/other', ['ANY /deep/{rest+}', { rest: 'x/other' }]],
    ['GET', '/deep/x', ['ANY /deep/{rest+}', { rest: 'x' }]],
    [
      'GET',
      '/objects/__proto__/__proto__',
      ['GET /objects/{bucket}/{key+}', { bucket: '__proto__', key: '__proto__' }],
    ],
  ])('selects the resource of %s %s', (method, path, expected) => {
    expect(routed(method, path)).toEqual(expected);
  });

  test('routes a path of ten thousand slashes in little time', () => {
    const before = performance.now();
    for (let i = 0; i < 100; i++) route('GET', `/objects/b${'/'.repeat(10_000)}k`);
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
