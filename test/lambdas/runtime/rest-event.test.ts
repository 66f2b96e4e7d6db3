/** Requests of the service, made of the REST events of API Gateway. */
import type { KeyClaim } from '../../../core/access/key-claim';
import { claimIn, contextOf, requestOf } from '../../../lambdas/runtime/rest-event';
import { restEvent } from '../../support/requests';

test.each([
  [null, false, ''],
  ['YQ==', true, 'a'],
  ['YQ==', false, 'YQ=='],
  ['\u00e9', false, '\u00e9'],
])('the body %j, in base64: %s, is read as %j', (body, isBase64Encoded, text) => {
  const event = { ...restEvent({ path: '/' }), body, isBase64Encoded };
  expect(Buffer.from(requestOf(event).body).toString()).toBe(text);
});

test('a header has the values of all its lines, or its only one', () => {
  const event = {
    ...restEvent({ path: '/', headers: { a: 'last', b: 'only' } }),
    multiValueHeaders: { a: ['first', 'last'] },
  };
  expect(requestOf(event).headers).toEqual({ a: ['first', 'last'], b: ['only'] });
});

test('an event without headers and query gives a request without them', () => {
  const event = restEvent({ path: '/' });
  const none = { ...event, headers: null, multiValueHeaders: null } as unknown as typeof event;
  expect(requestOf(none)).toMatchObject({ headers: {}, query: {} });
  const empty = { ...event, headers: { a: undefined } } as typeof event;
  expect(requestOf(empty).headers).toEqual({ a: [''] });
});

test('an event that no authorizer has seen gives a request without a claim', () => {
  const event = restEvent({ path: '/' });
  for (const authorizer of [null, undefined]) {
    const requestContext = { ...event.requestContext, authorizer } as typeof event.requestContext;
    expect(requestOf({ ...event, requestContext })).not.toHaveProperty('claim');
  }
});

describe('the context of the authorizer', () => {
  const claim: KeyClaim = {
    ...{ keyId: 'k', tier: 'small', generation: 3, readAt: 7 },
    permissions: [{ buckets: ['*'], actions: ['read'] }],
  };
  const more: KeyClaim = {
    ...claim,
    expiresAt: '2026-01-01T00:00:00.000Z',
    restriction: { permissions: claim.permissions, expiresAt: '2026-01-01T00:00:00.000Z' },
  };

  test.each([claim, more])('holds the whole claim %j as strings', (whole) => {
    const context = contextOf(whole);
    expect(Object.values(context).every((value) => typeof value === 'string')).toBe(true);
    expect(claimIn(context)).toEqual(whole);
    expect(Object.keys(context).sort()).toEqual(Object.keys(whole).sort());
  });

  test.each([{}, { keyId: 'k' }, { permissions: '[]' }, { keyId: 1, permissions: '[]' }])(
    '%j is incomplete, which is an error',
    (context) => {
      expect(() => claimIn(context)).toThrow('no context of the authorizer');
    },
  );
});
