/** The paths of the storage API: what each addresses, is counted as, and probably meant. */
import { rateClassOf, resourceOf, routeOf, STORAGE_ROUTES } from '../../../service/routes/routes';
import { incomingRequest } from '../../support/requests';

const BASE = '/api/v2/storage';
const [bucket, key, name] = ['photos', 'a', 'c'];

test.each([
  ['/buckets', { kind: 'buckets' }],
  ['/buckets/', undefined],
  ['/buckets/photos', { kind: 'bucket', bucket }],
  ['/buckets/photos/', undefined],
  ['/buckets/photos/x', undefined],
  ['/buckets/photos/consumers', { kind: 'consumers', bucket }],
  ['/buckets/photos/consumers/', undefined],
  ['/buckets/photos/consumers/c', { kind: 'consumer', bucket, name }],
  ['/buckets/photos/consumers/cd', { kind: 'consumer', bucket, name: 'cd' }],
  ['/buckets/photos/consumers/c/d', undefined],
  ['/buckets/photos/x/consumers/c', undefined],
  ['/x/buckets/photos', undefined],
  ['/objects', undefined],
  ['/objects/', undefined],
  ['/objects/photos', { kind: 'objects', bucket }],
  ['/objects/photos/', { kind: 'object', bucket, key: '' }],
  ['/objects/photos/a', { kind: 'object', bucket, key }],
  ['/objects/photos/a/b%2F/', { kind: 'object', bucket, key: 'a/b%2F/' }],
  ['/objects/photos/a\nb', { kind: 'object', bucket, key: 'a\nb' }],
  ['/uploads', undefined],
  ['/uploads/', undefined],
  ['/uploads/u', { kind: 'upload', uploadId: 'u' }],
  ['/uploads/01', { kind: 'upload', uploadId: '01' }],
  ['/uploads/u/v', undefined],
  ['/x/uploads/u', undefined],
  ['/links', { kind: 'links' }],
  ['/links/', undefined],
  ['/links/i', { kind: 'link', id: 'i' }],
  ['/links/ij', { kind: 'link', id: 'ij' }],
  ['/links/i/j', undefined],
  ['/x/links/i', undefined],
  ['/commits', { kind: 'commits' }],
  ['/restore', { kind: 'restore' }],
  ['/signed-url', { kind: 'signed-url' }],
  ['/tokens', { kind: 'tokens' }],
  ['/sync', { kind: 'sync' }],
  ['/nope', undefined],
  ['', undefined],
  ['/', undefined],
])('the path %j below the base path addresses %j', (path, resource) => {
  expect(resourceOf(`${BASE}${path}`)).toEqual(resource);
});

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE'];

test.each<[string, Readonly<Record<string, string>>]>([
  ['/buckets', { GET: 'listBuckets', HEAD: 'listBuckets', POST: 'createBucket' }],
  [
    '/buckets/photos',
    { GET: 'getBucket', HEAD: 'getBucket', PATCH: 'updateBucket', DELETE: 'deleteBucket' },
  ],
  ['/buckets/photos/consumers', { GET: 'listConsumers', HEAD: 'listConsumers' }],
  [
    '/buckets/photos/consumers/c',
    { GET: 'getConsumer', HEAD: 'getConsumer', PUT: 'putConsumer', DELETE: 'deleteConsumer' },
  ],
  ['/objects/photos', { GET: 'listObjects', HEAD: 'listObjects', DELETE: 'deleteObjects' }],
  [
    '/objects/photos/a',
    { GET: 'getObject', HEAD: 'getObjectHead', PUT: 'putObject', DELETE: 'deleteObject' },
  ],
  ['/commits', { POST: 'commit' }],
  ['/restore', { POST: 'restoreObjects' }],
  ['/signed-url', { POST: 'signUrl' }],
  ['/uploads/u', { GET: 'getUpload', HEAD: 'getUpload' }],
  ['/links', { GET: 'listLinks', HEAD: 'listLinks', POST: 'createLink' }],
  ['/links/i', { DELETE: 'deleteLink' }],
  ['/tokens', { POST: 'createToken' }],
  ['/sync', { GET: 'readChanges', HEAD: 'readChanges' }],
  ['/nope', {}],
])('requests of %s are counted under their operation, or as other', (path, routes) => {
  for (const method of METHODS) {
    const route = routeOf(incomingRequest({ method, path }));
    expect([method, route]).toEqual([method, routes[method] ?? 'other']);
  }
});

test.each([
  ['GET', '/objects/photos/a', false, 'read'],
  ['HEAD', '/objects/photos/a', false, 'read'],
  ['PUT', '/objects/photos/a', false, 'write'],
  ['DELETE', '/objects/photos', false, 'write'],
  ['GET', '/objects/photos', false, 'list'],
  ['HEAD', '/objects/photos', false, 'list'],
  ['GET', '/buckets', false, 'list'],
  ['GET', '/buckets/photos', false, 'read'],
  ['GET', '/buckets/photos/consumers', false, 'list'],
  ['GET', '/buckets/photos/consumers/c', false, 'read'],
  ['POST', '/commits', false, 'write'],
  ['POST', '/signed-url', false, 'sign'],
  ['GET', '/signed-url', false, 'read'],
  ['POST', '/tokens', false, 'sign'],
  ['GET', '/tokens', false, 'read'],
  ['POST', '/links', false, 'sign'],
  ['GET', '/links', false, 'list'],
  ['DELETE', '/links/i', false, 'sign'],
  ['GET', '/links/i', false, 'read'],
  ['GET', '/sync', false, 'read'],
  ['GET', '/sync', true, 'wait'],
  ['POST', '/sync', true, 'write'],
  ['GET', '/objects/photos', true, 'list'],
  ['GET', '/nope', true, 'read'],
  ['PUT', '/nope', false, 'write'],
])('%s %s, asking to wait: %s, counts for the rate limit %s', (method, path, waits, rate) => {
  const query: Record<string, string> = waits ? { wait: '1' } : {};
  const request = incomingRequest({ method, path, query });
  expect(rateClassOf(request, resourceOf(request.path))).toBe(rate);
});

test.each(['constructor', 'toString', '__proto__'])(
  'the method %s, a property of every object, counts as other and as a write',
  (method) => {
    const request = incomingRequest({ method, path: '/objects/photos/a' });
    expect(routeOf(request)).toBe('other');
    expect(rateClassOf(request, resourceOf(request.path))).toBe('write');
  },
);

test.each([
  ['/objects/photos/a%2Fb%20c', { kind: 'object', bucket, key: 'a/b c' }],
  ['/objects/p%68otos', { kind: 'objects', bucket }],
  ['/buckets/photos/consumers/%63', { kind: 'consumer', bucket, name }],
  ['/uploads/%63', { kind: 'upload', uploadId: '%63' }],
])('the names in %s are decoded to %j', (path, decoded) => {
  const resource = resourceOf(`${BASE}${path}`);
  expect(resource && STORAGE_ROUTES.decode(resource)).toEqual(decoded);
});

test.each([
  ['/objects/photos/', 'key'],
  ['/objects/photos/%', 'key'],
  ['/objects/%/a', 'bucket'],
  ['/objects/Photos', 'bucket'],
  ['/buckets/%', 'bucket'],
  ['/buckets/photos/consumers/%', 'name'],
  ['/buckets/photos/consumers/%2E', 'name'],
])('the path %s is refused, and names the field %s', (path, field) => {
  const resource = resourceOf(`${BASE}${path}`);
  const decode = () => resource && STORAGE_ROUTES.decode(resource);
  expect(decode).toThrow(expect.objectContaining({ details: expect.objectContaining({ field }) }));
});
