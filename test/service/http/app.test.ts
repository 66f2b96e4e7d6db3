/** The HTTP side of a function: dispatch, tokens of the rate limit, errors, metrics. */
import { StaleBucketRef } from '../../../core/bucket-ref';
import { ServiceError } from '../../../core/errors';
import {
  createApp,
  measure,
  type Operations,
  type Routes,
  withErrorBoundary,
  withMetrics,
} from '../../../service/http/app';
import { knownError } from '../../../service/http/known-error';
import type { ApiRequest, RestEvent } from '../../../service/http/request';
import type { HttpResponse } from '../../../service/http/response';
import { FakeLog } from '../../support/fakes/fake-log';
import { FakeMeter } from '../../support/fakes/fake-meter';
import { restEvent } from '../../support/requests';

type Thing = { readonly kind: 'thing'; readonly name: string };
type Asked = ApiRequest<string>;

const THINGS: Routes<Thing> = {
  resourceOf: (path) => (path.endsWith('/thing') ? { kind: 'thing', name: 'raw' } : undefined),
  methods: { thing: ['GET', 'HEAD', 'PUT'] },
};

interface Taken {
  readonly tokens: number;
  readonly headers: HttpResponse['headers'];
}

/** An app with one operation. `taken`: what the rate limit answers; absent: there is none. */
function open(
  run: (request: Asked, thing: Thing) => Promise<HttpResponse>,
  { routes = THINGS, taken }: { readonly routes?: Routes<Thing>; readonly taken?: Taken } = {},
) {
  const log = new FakeLog();
  const wanted: object[] = [];
  const takeTokens = async (wish: object) => {
    wanted.push(wish);
    return taken ?? { tokens: 0, headers: {} };
  };
  const operations: Operations<Thing, string> = { thing: { GET: run } };
  const admit = async () => ({
    ...{ caller: 'ada', headers: { left: '9' } },
    ...(taken && { takeTokens }),
  });
  const app = createApp<RestEvent, Thing, string>({ log }, { routes, operations, admit });
  const ask = (path = '/thing', method = 'GET') => app(restEvent({ path, method }));
  return { ask, log, wanted };
}

const bodyOf = ({ body }: HttpResponse) => JSON.parse(String(body));

test('an operation gets the request with its caller, and the resource as it is', async () => {
  const { ask } = open(async ({ caller, method, path, requestId }, { name }) => {
    const headers = { said: [caller, method, path, requestId, name].join(' ') };
    return { status: 204, headers };
  });
  const said = 'ada GET /api/v2/storage/thing request-1 raw';
  expect(await ask()).toEqual({ status: 204, headers: { said, left: '9' } });
});

test('an operation gets the decoded resource when the routes decode', async () => {
  const decode = (thing: Thing) => ({ ...thing, name: 'decoded' });
  const run = async (_: Asked, { name }: Thing) => ({ status: 200, headers: {}, body: name });
  const { ask } = open(run, { routes: { ...THINGS, decode } });
  expect((await ask()).body).toBe('decoded');
});

test('HEAD runs the operation of GET, and has its length without its body', async () => {
  const { ask } = open(async () => ({ status: 200, headers: {}, body: 'four' }));
  expect(await ask('/thing', 'HEAD')).toEqual({
    status: 200,
    headers: { 'Content-Length': '4', left: '9' },
  });
});

const MEANT = (method: string, path: string) => `${method} ${path}?`;

test.each<[string, string, object, Partial<Routes<Thing>>]>([
  ['/nope', 'GET', { code: 'not_found', message: 'nothing exists at this path' }, {}],
  [
    '/nope',
    'GET',
    { message: 'nothing exists at this path; did you mean GET /api/v2/storage/nope??' },
    { meant: MEANT },
  ],
  ['/nope', 'GET', { message: 'nothing exists at this path' }, { meant: () => undefined }],
  ['/thing', 'PUT', { code: 'method_not_allowed', details: { allow: ['GET', 'HEAD', 'PUT'] } }, {}],
  ['/thing', 'POST', { code: 'method_not_allowed' }, {}],
  ['/thing', 'POST', { message: expect.stringContaining('did you mean POST') }, { meant: MEANT }],
])('%s of %s is refused with %j', async (path, method, error, routes) => {
  const run = async () => ({ status: 200, headers: {} });
  const { ask } = open(run, { routes: { ...THINGS, ...routes } });
  const response = await ask(path, method);
  expect(bodyOf(response).error).toMatchObject({ ...error, request_id: 'request-1' });
  expect(response.headers.Allow).toBe(path === '/thing' ? 'GET, HEAD, PUT' : undefined);
  expect(response.headers.left).toBe('9');
});

test('a caller that is refused learns nothing about paths', async () => {
  const log = new FakeLog();
  const admit = () => Promise.reject(new ServiceError('unauthorized'));
  const app = createApp({ log }, { routes: THINGS, operations: {}, admit });
  for (const path of ['/thing', '/nope']) {
    expect((await app(restEvent({ path }))).status).toBe(401);
  }
});

describe('further tokens', () => {
  const taking = (count: number) => async (request: Asked) => {
    await request.takeTokens(count);
    return { status: 200, headers: {}, body: String(await request.takeTokensUpTo(count)) };
  };

  test('are those of the rate limit, whose headers replace the first ones', async () => {
    const taken = { tokens: 3, headers: { left: '4' } };
    const { ask, wanted } = open(taking(5), { taken });
    expect(await ask()).toEqual({ status: 200, headers: { left: '4' }, body: '3' });
    expect(wanted).toEqual([{ count: 5 }, { count: 5, orFewer: true }]);
  });

  test('are not asked for when none are wanted', async () => {
    const { ask, wanted } = open(taking(0), { taken: { tokens: 3, headers: {} } });
    expect((await ask()).body).toBe('0');
    expect(wanted).toEqual([]);
  });

  test('are without a limit for a caller that has none', async () => {
    const { ask } = open(taking(7));
    expect(await ask()).toEqual({ status: 200, headers: { left: '9' }, body: '7' });
  });

  test('leave their headers on the response to a request that fails later', async () => {
    const taken = { tokens: 1, headers: { left: '0' } };
    const run = async (request: Asked) => {
      await request.takeTokens(1);
      throw new ServiceError('conflict');
    };
    const response = await open(run, { taken }).ask();
    expect([response.status, response.headers.left]).toEqual([409, '0']);
  });
});

describe('an error', () => {
  const fails = (error: unknown, method = 'GET') => {
    const log = new FakeLog();
    const event = restEvent({ path: '/x', method });
    return { log, response: withErrorBoundary({ log }, event, () => Promise.reject(error)) };
  };

  test('of the contract is returned with its details and headers, and not logged', async () => {
    const { log, response } = fails(
      new ServiceError('conflict', { message: 'm', details: { a: 1 }, headers: { h: 'x' } }),
    );
    const { status, headers, body } = await response;
    expect([status, headers.h, headers['Cache-Control']]).toEqual([409, 'x', 'no-store']);
    expect(JSON.parse(String(body))).toEqual({
      error: { code: 'conflict', message: 'm', request_id: 'request-1', details: { a: 1 } },
    });
    expect(log.lines).toEqual([]);
  });

  test('of ours is logged with the request, and returned without what it says', async () => {
    const error = new Error('secret');
    const { log, response } = fails(error, 'PUT');
    const { status, body } = await response;
    expect([status, String(body).includes('secret')]).toEqual([500, false]);
    expect(JSON.parse(String(body)).error).not.toHaveProperty('details');
    const fields = { requestId: 'request-1', method: 'PUT', error };
    expect(log.lines).toEqual([{ level: 'error', event: 'request_failed', fields }]);
  });

  test('of a HEAD has no body', async () => {
    const response = await fails(new ServiceError('not_found'), 'HEAD').response;
    expect(response).not.toHaveProperty('body');
    expect(Number(response.headers['Content-Length'])).toBeGreaterThan(50);
  });
});

const named = (name: string, more: object = {}) => Object.assign(new Error('x'), { name, ...more });

test.each<[string, unknown, string]>([
  ['a conflict', new ServiceError('conflict'), 'conflict'],
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
])('%s is shown as %s', (_what, error, code) => {
  const known = knownError(error);
  expect([known.code, known.cause]).toEqual([
    code,
    error instanceof ServiceError ? undefined : error,
  ]);
});

describe('the metrics of a request', () => {
  class ReportingMeter extends FakeMeter {
    readonly reports: unknown[] = [];
    override report(about?: object): boolean {
      this.reports.push(about);
      return true;
    }
  }

  test.each([
    [200, []],
    [399, []],
    [400, ['Refusals']],
    [499, ['Refusals']],
    [500, ['Errors']],
    [503, ['Errors']],
  ])('with the status %i count %j', (status, counted) => {
    const meter = new ReportingMeter();
    measure(meter, 'getObject', { status, milliseconds: 12.3456 });
    expect(meter.counted).toEqual([
      { metric: 'Latency', amount: 12.35, of: 'getObject' },
      ...counted.map((metric) => ({ metric, amount: 1, of: 'getObject' })),
    ]);
  });

  test('have its route, and are reported once with its key and status', async () => {
    const meter = new ReportingMeter();
    const app = withMetrics(meter, async () => ({ status: 404, headers: {} }));
    const began = performance.now();
    const response = await app(restEvent({ path: '/buckets', keyId: 'k' }));
    const elapsed = performance.now() - began;
    expect(response.status).toBe(404);
    expect(meter.reports).toEqual([{ requestId: 'request-1', keyId: 'k', status: 404 }]);
    expect(meter.counted).toEqual([
      { metric: 'Latency', amount: expect.any(Number), of: 'listBuckets' },
      { metric: 'Refusals', amount: 1, of: 'listBuckets' },
    ]);
    expect(meter.sum('Latency')).toBeLessThanOrEqual(elapsed + 0.01);
  });

  test('name no key when the gateway has authenticated none', async () => {
    const meter = new ReportingMeter();
    const app = withMetrics(meter, async () => ({ status: 200, headers: {} }));
    const event = restEvent({ path: '/buckets' });
    for (const authorizer of [null, undefined]) {
      const requestContext = { ...event.requestContext, authorizer };
      await app({ ...event, requestContext } as typeof event);
    }
    const report = { requestId: 'request-1', keyId: undefined, status: 200 };
    expect(meter.reports).toEqual([report, report]);
  });
});
