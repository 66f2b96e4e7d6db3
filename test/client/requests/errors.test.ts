/** The errors of the client: their codes, and whether they are temporary. */
import { DigestMismatch, type ErrorCode, StowageError } from '../../../client';
import { codeOfStatus } from '../../../client/errors';

/** docs/api.md, "Errors". */
test.each<[ErrorCode, number, boolean]>([
  ['invalid_request', 400, false],
  ['unauthorized', 401, false],
  ['forbidden', 403, false],
  ['not_found', 404, false],
  ['method_not_allowed', 405, false],
  ['conflict', 409, false],
  ['cursor_expired', 410, false],
  ['precondition_failed', 412, false],
  ['payload_too_large', 413, false],
  ['range_not_satisfiable', 416, false],
  ['rate_limited', 429, true],
  ['internal', 500, true],
  ['unavailable', 503, true],
])('the code %s has the status %i', async (code, status, isTemporary) => {
  const error = new StowageError(code, 'text');
  expect(error).toMatchObject({ name: 'StowageError', code, status, isTemporary, details: {} });
  expect(codeOfStatus(status)).toBe(code);
});

test.each<[ErrorCode, boolean]>([
  ['network', true],
  ['invalid_answer', true],
  ['digest_mismatch', false],
])('the code %s has no status', (code, isTemporary) => {
  expect(new StowageError(code, 'text')).toMatchObject({ status: 0, isTemporary });
});

test('StowageError keeps the status, request id, details and cause that it is given', () => {
  const fields = { status: 408, requestId: 'r', details: { field: 'key' }, retryAfter: 2 };
  const cause = new Error('before');
  const error = new StowageError('invalid_request', 'text', { ...fields, cause });
  expect(error).toMatchObject({ ...fields, code: 'invalid_request', message: 'text', cause });
  expect(error.isTemporary).toBe(true);
});

test('DigestMismatch names bucket and cursor in its details', () => {
  const error = new DigestMismatch('photos', 7);
  expect(error).toBeInstanceOf(StowageError);
  expect(error).toMatchObject({
    ...{ code: 'digest_mismatch', status: 0, isTemporary: false },
    details: { bucket: 'photos', cursor: 7 },
  });
});
