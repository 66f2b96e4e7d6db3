import { AwsError, connectionError } from '../../../adapters/aws/aws-error';

/** Name, status and message of an error; whether it throttles; whether a call is repeated. */
test.each<[string, number | undefined, string, boolean, boolean]>([
  ['SlowDown', 503, '', true, true],
  ['ThrottlingException', 400, '', true, true],
  ['ProvisionedThroughputExceededException', 400, '', true, true],
  ['TransactionInProgressException', 400, '', true, true],
  ['Other', 429, '', true, true],
  ['RequestTimeout', 400, '', false, true],
  ['RequestTimeoutException', 400, '', false, true],
  ['TimeoutError', undefined, '', false, true],
  ['Other', 500, '', false, true],
  ['Other', 502, '', false, true],
  ['Other', 503, '', false, true],
  ['Other', 504, '', false, true],
  ['RequestTimeTooSkewed', 403, '', false, true],
  ['InvalidSignatureException', 400, 'Signature expired: 1 is earlier than 2', false, true],
  ['InvalidSignatureException', 400, 'The signature does not match', false, false],
  ['Other', 400, 'Signature expired', false, false],
  ['Other', 501, '', false, false],
  ['Other', 400, '', false, false],
  ['Other', undefined, '', false, false],
])('%s, status %s, %j: throttling %j, repeated %j', (name, status, message, throttles, repeats) => {
  const error = new AwsError(name, { message, ...(status !== undefined && { status }) });
  expect([error.isThrottling, error.isRetryable]).toEqual([throttles, repeats]);
});

test('an error has what is known of it, and nothing else', () => {
  const bare = new AwsError('NoSuchKey');
  expect([bare.name, bare.message]).toEqual(['NoSuchKey', 'NoSuchKey']);
  expect(bare.$metadata).toStrictEqual({});
  expect([bare.code, 'cause' in bare]).toEqual([undefined, false]);

  const cause = new Error('below');
  const full = new AwsError('TimeoutError', {
    ...{ message: 'late', status: 503, requestId: 'r', code: 'ETIMEDOUT', cause },
  });
  expect(full).toMatchObject({ message: 'late', code: 'ETIMEDOUT', cause });
  expect(full.$metadata).toStrictEqual({ httpStatusCode: 503, requestId: 'r' });
});

describe('what Node.js reports of a connection', () => {
  const reported = (code?: string, message = 'm') => Object.assign(new Error(message), { code });

  test.each([
    ...['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT'],
    ...['EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ])('%s is a timeout, after which a call is repeated', (code) => {
    const cause = reported(code);
    expect(connectionError(cause)).toMatchObject({
      ...{ name: 'TimeoutError', message: 'm', code, cause, isRetryable: true, $metadata: {} },
    });
  });

  test.each(['ERR_INVALID_CHAR', undefined])('%s is an error, after which none is', (code) => {
    expect(connectionError(reported(code))).toMatchObject({
      ...{ name: 'Error', message: 'm', isRetryable: false },
    });
  });

  test('an error without a message has its code as the message', () => {
    expect(connectionError(reported('ECONNREFUSED', '')).message).toBe('ECONNREFUSED');
  });

  test('an error of the call itself stays as it is', () => {
    const error = new AwsError('ResponseTooLarge');
    expect(connectionError(error)).toBe(error);
  });
});
