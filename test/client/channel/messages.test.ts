/** The messages of the server, well-formed and malformed. */
import { errorOfReset } from '../../../client/channel/events';
import { parseServerMessage } from '../../../client/channel/messages';

const parse = (message: unknown) => parseServerMessage(JSON.stringify(message));

const SHA256 = `${'A'.repeat(43)}=`;
const SUBSCRIBED = { type: 'subscribed', bucket: 'photos', bucket_id: 'b1', cursor: 3, head: 7 };
const RESET = { type: 'reset', bucket: 'photos', reason: 'cursor_expired', oldest: 4, head: 9 };
const RANGE = { bucket: 'photos', bucket_id: 'b1', from: 1, to: 2, head: 5, changes: [] };
const GOODBYE = { type: 'goodbye', code: 1001, reason: 'a new version' };

test.each<[string, object, object]>([
  [
    'subscribed',
    SUBSCRIBED,
    { type: 'subscribed', bucket: 'photos', bucketId: 'b1', cursor: 3, head: 7 },
  ],
  ['changes', { type: 'changes', ...RANGE }, { type: 'changes', range: RANGE, more: false }],
  [
    'changes of which there are more',
    { type: 'changes', ...RANGE, more: true },
    { type: 'changes', range: RANGE, more: true },
  ],
  [
    'changes whose `more` is a text',
    { type: 'changes', ...RANGE, more: 'true' },
    { type: 'changes', range: RANGE, more: false },
  ],
  ['a reset after the retention', RESET, RESET],
  [
    'a reset of another incarnation',
    { ...RESET, reason: 'bucket_replaced' },
    { ...RESET, reason: 'bucket_replaced' },
  ],
  [
    'a pong',
    { type: 'pong', heads: { photos: 4, films: 0 } },
    {
      type: 'pong',
      heads: new Map(Object.entries({ photos: 4, films: 0 })),
      digests: new Map(),
    },
  ],
  [
    'a pong with heads and digests that are malformed',
    {
      type: 'pong',
      heads: { photos: 4, films: -1, notes: '5' },
      digests: {
        photos: { sha256: SHA256, since: 2, extra: 1 },
        films: { sha256: 'x', since: 2 },
        notes: null,
      },
    },
    {
      type: 'pong',
      heads: new Map([['photos', 4]]),
      digests: new Map([['photos', { sha256: SHA256, since: 2 }]]),
    },
  ],
  ['a goodbye', GOODBYE, GOODBYE],
  [
    'a goodbye with a time',
    { ...GOODBYE, reconnect_before: '2026-01-02T03:04:05.678Z' },
    { ...GOODBYE, reconnectBefore: Date.UTC(2026, 0, 2, 3, 4, 5, 678) },
  ],
  ['a goodbye with a malformed time', { ...GOODBYE, reconnect_before: 'soon' }, GOODBYE],
  ['a goodbye with a number as time', { ...GOODBYE, reconnect_before: 2026 }, GOODBYE],
  [
    'a goodbye without a reason',
    { type: 'goodbye', code: 4429 },
    { ...GOODBYE, code: 4429, reason: '' },
  ],
])('parseServerMessage returns %s', (_what, message, expected) => {
  expect(parse(message)).toStrictEqual(expected);
});

test.each<[string, unknown]>([
  ['null', null],
  ['a list', [SUBSCRIBED]],
  ['a text', 'pong'],
  ['no type', { ...SUBSCRIBED, type: undefined }],
  ['subscribed without a bucket', { ...SUBSCRIBED, bucket: 5 }],
  ['subscribed without an incarnation', { ...SUBSCRIBED, bucket_id: undefined }],
  ['subscribed without a cursor', { ...SUBSCRIBED, cursor: '3' }],
  ['subscribed without a head', { ...SUBSCRIBED, head: undefined }],
  ['changes without an end', { type: 'changes', ...RANGE, to: undefined }],
  ['a reset for an unknown reason', { ...RESET, reason: 'other' }],
  ['a reset without a bucket', { ...RESET, bucket: undefined }],
  ['a reset without its oldest cursor', { ...RESET, oldest: null }],
  ['a reset without a head', { ...RESET, head: 0.5 }],
  ['a pong without heads', { type: 'pong', heads: [1] }],
  ['an error without an error', { type: 'error', bucket: 'photos' }],
  ['an error with an unknown code', { type: 'error', error: { code: 'fire' } }],
  ['a goodbye without a code', { ...GOODBYE, code: '1001' }],
])('parseServerMessage returns nothing for %s', (_what, message) => {
  expect(parse(message)).toBeUndefined();
});

/** Returns the names of the fields of an error message, its id and bucket, and its error. */
function errorOf(message: object) {
  const parsed = parse({ type: 'error', ...message });
  if (parsed?.type !== 'error') throw new Error('not an error');
  const { code, status, message: text, requestId, details, retryAfter } = parsed.error;
  const fields = { code, status, text, requestId, details, retryAfter };
  return [Object.keys(parsed).sort(), parsed.id, parsed.bucket, fields];
}

const FIELDS = {
  ...{ code: 'rate_limited', status: 429, text: 'slow', requestId: 'r-1' },
  ...{ details: { retry_after: 2.5 }, retryAfter: 2.5 },
};

test('parseServerMessage returns every field of an error', () => {
  const details = { retry_after: 2.5 };
  const error = { code: 'rate_limited', message: 'slow', request_id: 'r-1', details };
  expect(errorOf({ id: 'm-1', bucket: 'photos', error })).toEqual([
    ['bucket', 'error', 'id', 'type'],
    ...['m-1', 'photos', FIELDS],
  ]);
  expect(errorOf({ error: { ...error, details: { retry_after: 0 } } })).toEqual([
    ['error', 'type'],
    ...[undefined, undefined],
    { ...FIELDS, details: { retry_after: 0 }, retryAfter: 0 },
  ]);
});

test.each<[string, object, object]>([
  ['no message', { message: undefined }, { text: 'rate_limited' }],
  ['a malformed request id', { request_id: 7 }, { requestId: undefined }],
  ['malformed details', { details: [1] }, { details: {}, retryAfter: undefined }],
  [
    'a wait below zero',
    { details: { retry_after: -1 } },
    { details: { retry_after: -1 }, retryAfter: undefined },
  ],
  [
    'a text as wait',
    { details: { retry_after: '3' } },
    { details: { retry_after: '3' }, retryAfter: undefined },
  ],
])('parseServerMessage returns an error with %s', (_what, fields, expected) => {
  const details = { retry_after: 2.5 };
  const error = { code: 'rate_limited', message: 'slow', request_id: 'r-1', details, ...fields };
  expect(errorOf({ id: 5, bucket: null, error })).toEqual([
    ['error', 'type'],
    ...[undefined, undefined],
    { ...FIELDS, ...expected },
  ]);
});

test('the error of a reset names the oldest cursor where the change log was trimmed', () => {
  const fields = { bucket: 'photos', oldest: 417, head: 999 };
  const errors = (['cursor_expired', 'bucket_replaced'] as const).map((reason) =>
    errorOfReset({ type: 'reset', ...fields, reason }),
  );
  expect(errors.map(({ message }) => message.includes('417'))).toEqual([true, false]);
  expect(errors).toMatchObject([
    { code: 'cursor_expired', status: 410, details: { ...fields, reason: 'cursor_expired' } },
    { code: 'cursor_expired', status: 410, details: { ...fields, reason: 'bucket_replaced' } },
  ]);
});
