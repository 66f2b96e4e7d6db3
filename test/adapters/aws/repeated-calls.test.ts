/** Which calls are repeated, how often, and after which waits. */
import timers from 'node:timers/promises';
import { AwsError } from '../../../adapters/aws/aws-error';
import { type ScriptedResponse, startScriptedServer } from '../../support/scripted-server';
import { callAgainst, createClient, ok, REQUEST, refusal } from './scripted-calls';

test.each<[string, ScriptedResponse]>([
  ['a broken connection', 'reset'],
  ['status 500', refusal(500, '')],
  ['status 503', refusal(503, 'Whatever')],
])('a call is repeated twice after %s', async (_, failure) => {
  const recovered = await callAgainst([failure, failure, ok('fine')]);
  expect(recovered.outcome).toMatchObject({ status: 200 });
  expect(recovered.received).toHaveLength(3);

  const failed = await callAgainst([failure]);
  expect(failed.outcome).toBeInstanceOf(AwsError);
  expect(failed.outcome).toMatchObject({ isRetryable: true });
  expect(failed.received).toHaveLength(3);
});

test('a call that is throttled is repeated', async () => {
  const { outcome, received } = await callAgainst([refusal(400, 'ThrottlingException'), ok('')]);

  expect(outcome).toMatchObject({ status: 200 });
  expect(received).toHaveLength(2);
});

test.each([
  [400, 'ValidationException'],
  [404, 'NoSuchKey'],
  [412, 'PreconditionFailed'],
  [501, 'NotImplemented'],
])('a call that is refused with %d %s is not repeated', async (status, name) => {
  const { outcome, received } = await callAgainst([refusal(status, name)]);

  expect(outcome).toMatchObject({
    name,
    $metadata: { httpStatusCode: status, requestId: 'request-1' },
    isRetryable: false,
  });
  expect(received).toHaveLength(1);
});

test.each<[string, ScriptedResponse, number | undefined, readonly number[]]>([
  ['is throttled', refusal(400, 'ThrottlingException'), undefined, [500, 1_000]],
  ['fails', refusal(500, ''), 30, [15, 30]],
  ['fails, without a wait of its own,', refusal(500, ''), undefined, [25, 50]],
])(
  'a call that %s waits before each repetition, twice as long',
  async (_, failure, wait, waits) => {
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const waited = jest.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
    try {
      const { received } = await callAgainst([failure], { retryWaitMs: wait });
      expect(received).toHaveLength(3);
      expect(waited.mock.calls).toEqual(waits.map((milliseconds) => [milliseconds]));
    } finally {
      jest.restoreAllMocks();
    }
  },
);

test('a call is made as often as its client says, at most', async () => {
  const { received } = await callAgainst([refusal(500, '')], { attempts: 1 });
  expect(received).toHaveLength(1);
});

test('an error of another class is thrown at once', async () => {
  const own = new Error('own');
  const parseError = () => {
    throw own;
  };
  const { outcome, received } = await callAgainst([refusal(500, '')], { parseError });
  expect(outcome).toBe(own);
  expect(received).toHaveLength(1);
});

test.each([
  [299, true],
  [300, false],
  [304, false],
])('a response of status %d is a success: %j', async (status, succeeds) => {
  const { outcome } = await callAgainst([{ status, body: status === 304 ? undefined : 'x' }]);
  expect(outcome instanceof AwsError).toBe(!succeeds);
});

describe('a response of 200 with an error', () => {
  const LATE = ok('<?xml?>\n<Error><Code>InternalError</Code></Error>');
  const callWith = async (mayFailLate: boolean | undefined, script: ScriptedResponse[]) => {
    const server = await startScriptedServer(script);
    try {
      const call = createClient(server.endpoint).call({ ...REQUEST, mayFailLate });
      return [await call.catch((error: unknown) => error), server.received.length];
    } finally {
      await server.stop();
    }
  };

  test('is repeated as a 503 where it may fail late', async () => {
    const [error, attempts] = await callWith(true, [LATE]);
    expect(error).toMatchObject({ $metadata: { httpStatusCode: 503 }, isRetryable: true });
    expect(attempts).toBe(3);
    expect(await callWith(true, [LATE, ok('x')])).toEqual([
      expect.objectContaining({ status: 200, body: Buffer.from('x') }),
      2,
    ]);
  });

  test('is what it is for all other calls', async () => {
    const fine = expect.objectContaining({ status: 200 });
    expect(await callWith(undefined, [LATE])).toEqual([fine, 1]);
    expect(await callWith(false, [LATE])).toEqual([fine, 1]);
  });
});
