/** Dispatch of requests, tokens of the rate limit, errors. */
import { StaleBucketRef } from '../../../core/bucket-ref';
import { ServiceError } from '../../../core/errors';
import { createApp, type Operations, type Routes } from '../../../service/http/app';
import { knownError } from '../../../service/http/known-error';
import { FakeLog } from '../../support/fakes/fake-log';
import { incomingRequest } from '../../support/requests';

type Thing = { readonly kind: 'thing' };

const ROUTES: Routes<Thing> = {
  resourceOf: (path) => (path.endsWith('/thing') ? { kind: 'thing' } : undefined),
  methods: { thing: ['GET'] },
};

test('a caller that is refused learns nothing about paths', async () => {
  const log = new FakeLog();
  const admit = () => Promise.reject(new ServiceError('unauthorized'));
  const app = createApp({ log }, { routes: ROUTES, operations: {}, admit });
  for (const path of ['/thing', '/nope']) {
    expect((await app(incomingRequest({ path }))).status).toBe(401);
  }
});

test('a request that fails after it took further tokens has their rate limit headers', async () => {
  const admit = async () => ({
    ...{ caller: 'ada', headers: { left: '9' } },
    takeTokens: async () => ({ tokens: 1, headers: { left: '0' } }),
  });
  const operations: Operations<Thing, string> = {
    thing: {
      GET: async (request) => {
        await request.takeTokens(1);
        throw new ServiceError('conflict');
      },
    },
  };
  const parts = { routes: ROUTES, operations, admit };
  const app = createApp<Thing, string>({ log: new FakeLog() }, parts);
  const response = await app(incomingRequest({ path: '/thing' }));
  expect([response.status, response.headers.left]).toEqual([409, '0']);
});

const named = (name: string, more: object = {}) => Object.assign(new Error('x'), { name, ...more });

test.each<[string, unknown, string]>([
  ['an error of the contract', new ServiceError('conflict'), 'conflict'],
  ['a stale bucket', new StaleBucketRef(), 'unavailable'],
  ['a throttled call', named('ThrottlingException'), 'unavailable'],
  ['a broken connection', named('Error', { code: 'ECONNRESET' }), 'unavailable'],
  ['a name that is not found', named('Error', { code: 'ENOTFOUND' }), 'unavailable'],
  ['a status of 500', named('X', { $metadata: { httpStatusCode: 500 } }), 'unavailable'],
  ['a status of 503', named('X', { $metadata: { httpStatusCode: 503 } }), 'unavailable'],
  ['a status of 499', named('X', { $metadata: { httpStatusCode: 499 } }), 'internal'],
  ['an answer without a status', named('X', { $metadata: {} }), 'internal'],
  ['a name that says nothing', named('TypeError', { code: 'E' }), 'internal'],
  ['something that is no error', { name: 'TimeoutError' }, 'internal'],
  ['nothing', undefined, 'internal'],
])('a client gets the code of %s: %s', (_what, error, code) => {
  const known = knownError(error);
  expect([known.code, known.cause]).toEqual([
    code,
    error instanceof ServiceError ? undefined : error,
  ]);
});
