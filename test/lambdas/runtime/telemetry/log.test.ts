import { InternalServerError } from '@aws-sdk/client-dynamodb';
import { ServiceError } from '../../../../core/errors';
import { log } from '../../../../lambdas/runtime/telemetry/log';

/** What is written to stdout while the work runs. */
function written(work: () => void): string[] {
  const texts: string[] = [];
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    texts.push(String(text));
    return true;
  });
  work();
  write.mockRestore();
  return texts;
}

function logged(error: Error) {
  const [text = ''] = written(() => log.error('request_failed', { error }));
  return JSON.parse(text);
}

test('log writes a JSON object with a time and a level, by which Lambda knows it', () => {
  expect(logged(new Error('broken'))).toMatchObject({
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    level: 'error',
    event: 'request_failed',
  });
});

test('log writes the request id of an error of AWS', () => {
  const cause = new InternalServerError({
    message: 'failed',
    $metadata: { httpStatusCode: 500, requestId: 'ID' },
  });

  const { level, event, error } = logged(new ServiceError('internal', { cause }));

  expect([level, event]).toEqual(['error', 'request_failed']);
  expect(error).not.toHaveProperty('aws_request_id');
  expect(error.cause).toMatchObject({ name: 'InternalServerError', aws_request_id: 'ID' });
});

test('log writes the fields of an event as they are, and an event without fields', () => {
  const texts = written(() => {
    log.info('began');
    log.info('ended', { count: 2, of: { a: [null, 'x'] } });
  });
  expect(texts.every((text) => /^[^\n]+\n$/.test(text))).toBe(true);
  const timestamp = expect.any(String);
  expect(texts.map((text) => JSON.parse(text))).toEqual([
    { timestamp, level: 'info', event: 'began' },
    { timestamp, level: 'info', event: 'ended', count: 2, of: { a: [null, 'x'] } },
  ]);
});

test('log writes the name, message, cause and stack of an error', () => {
  const cause = new TypeError('below');
  const { error } = logged(new Error('above', { cause }));
  expect(error).toMatchObject({
    ...{ name: 'Error', message: 'above', stack: expect.stringContaining('log.test.ts') },
    cause: { name: 'TypeError', message: 'below' },
  });
});
