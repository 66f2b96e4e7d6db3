import {
  ERRORS,
  type ErrorCode,
  invalid,
  missing,
  ServiceError,
  unavailable,
} from '../../core/errors';

test.each(Object.entries(ERRORS))(
  'an error with the code %s has its status and message',
  (code, row) => {
    const error = new ServiceError(code as ErrorCode);
    expect(error).toMatchObject({ ...row, code, name: 'ServiceError', headers: {} });
    expect(error).toHaveProperty('details', undefined);
  },
);

test('a ServiceError has the message, details, headers and cause that it is given', () => {
  const cause = new Error('lost');
  const options = { message: 'no', details: { a: 1 }, headers: { Allow: 'GET' }, cause };
  expect(new ServiceError('conflict', options)).toMatchObject({ ...options, status: 409 });
});

test('invalid and missing name the field and the rule', () => {
  expect(invalid('limit', 'must be 1')).toMatchObject({
    code: 'invalid_request',
    message: 'limit: must be 1',
    details: { field: 'limit', rule: 'must be 1' },
  });
  expect(missing('limit').details).toEqual({ field: 'limit', rule: 'is required' });
});

test('unavailable asks the client to try again after a second', () => {
  const cause = new Error('throttled');
  expect(unavailable(cause)).toMatchObject({
    ...{ code: 'unavailable', status: 503, headers: { 'Retry-After': '1' }, cause },
  });
});
