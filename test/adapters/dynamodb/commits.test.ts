import { changeItem } from '../../../adapters/dynamodb/change-log';
import { DynamoCommits } from '../../../adapters/dynamodb/commits';
import { createDynamoClient } from '../../../lambdas/runtime/aws-clients';
import { AT, change, liveObject, newIdempotencyRecord } from '../../support/samples';
import {
  cancelled,
  dynamoError,
  dynamoResponse,
  type ScriptedResponse,
} from '../../support/scripted-server';
import { operations, withScript } from './scripted-dynamo';

const TABLES = { buckets: 'buckets', changes: 'changes', objects: 'objects', uploads: 'uploads' };
const NO_CONDITION = { changed: false, settled: false, isDuplicate: false };
const INTERNAL = dynamoError('InternalServerError', {}, 500);

/** Commits one change against the script. */
function commit(script: readonly ScriptedResponse[], overrides: Parameters<typeof change>[2] = {}) {
  return withScript(script, async ({ client, server }) => {
    const commits = new DynamoCommits(client, TABLES);
    const outcome = await commits.commit(change('id', liveObject({ cursor: 5 }), overrides));
    return { outcome, server };
  });
}

describe('commit', () => {
  test.each([
    ['TransactionConflict', ['TransactionConflict'], {}],
    ['ThrottlingError', ['ThrottlingError'], { isThrottled: true }],
    ['throttled capacity', ['ProvisionedThroughputExceeded'], { isThrottled: true }],
    [
      'throttling beside a conflict',
      ['TransactionConflict', 'ThrottlingError'],
      { isThrottled: true },
    ],
  ])(
    'returns `refused` without a failed condition when %s alone cancels the transaction',
    async (_, codes, throttling) => {
      const { outcome, server } = await commit([cancelled('None', ...codes)]);

      expect(outcome).toEqual({ result: 'refused', ...NO_CONDITION, ...throttling });
      expect(operations(server)).toEqual(['TransactWriteItems']);
    },
  );

  test('returns the failed condition when a conflict cancels the transaction, too', async () => {
    const entry = { type: 'noop', bucket: 'photos', cursor: 5, at: AT } as const;
    const Item = changeItem('id', entry);
    const failed = { Code: 'ConditionalCheckFailed', Message: '', Item };
    expect(Item.type).toEqual({ S: 'void' });

    const { outcome } = await commit([cancelled(failed, 'TransactionConflict')]);

    expect(outcome).toEqual({ result: 'refused', taken: entry, ...NO_CONDITION });
  });

  test('takes no item of another write for the entry at its cursor', async () => {
    const Item = changeItem('id', { type: 'noop', bucket: 'photos', cursor: 5, at: AT });
    const failed = { Code: 'ConditionalCheckFailed', Message: '', Item };

    const { outcome } = await commit([cancelled('None', failed)]);

    expect(outcome).toEqual({ result: 'refused', ...NO_CONDITION, changed: true });
  });

  test('maps each reason to its write, with and without optional writes', async () => {
    const failed = 'ConditionalCheckFailed';
    const none = 'None';

    const both = { uploadId: 'upload', idempotency: newIdempotencyRecord() };
    const second = await commit([cancelled(none, none, none, failed)], both);
    const upload = await commit([cancelled(none, none, failed)], { uploadId: 'upload' });
    const replay = await commit([cancelled(none, none, failed)], {
      idempotency: newIdempotencyRecord(),
    });

    expect(second.outcome).toMatchObject({ ...NO_CONDITION, isDuplicate: true });
    expect(upload.outcome).toMatchObject({ ...NO_CONDITION, settled: true });
    expect(replay.outcome).toMatchObject({ ...NO_CONDITION, isDuplicate: true });
  });

  test.each<[string, ScriptedResponse]>([
    ['a broken connection', 'reset'],
    ['a response that does not arrive in time', 'silence'],
    ['an internal error of DynamoDB', INTERNAL],
    ['an attempt still in progress', dynamoError('TransactionInProgressException')],
    ['throttling, which may follow a successful attempt', dynamoError('ThrottlingException')],
  ])(
    'returns `unknown` after three attempts with one token when all of them meet %s',
    async (_, response) => {
      const { outcome, server } = await commit([response], { token: 'the-token' });

      expect(outcome).toEqual({ result: 'unknown', cause: expect.any(Error) });
      expect(server.received.map(({ body }) => JSON.parse(body).ClientRequestToken)).toEqual([
        'the-token',
        'the-token',
        'the-token',
      ]);
    },
    20_000,
  );

  test.each<[string, ScriptedResponse]>([
    ['that cannot be read', { status: 200, body: '{"Conf' }],
    ['of a status that is not repeated', { status: 501, body: '' }],
  ])('returns `unknown` after a response %s', async (_, response) => {
    const { outcome, server } = await commit([response]);

    expect(outcome).toEqual({ result: 'unknown', cause: expect.any(Error) });
    expect(server.received).toHaveLength(1);
  });

  test('throws an error from before the first attempt', async () => {
    const credentials = async () => {
      throw new Error('no credentials');
    };
    const client = createDynamoClient({ region: 'us-east-1', credentials });
    const commits = new DynamoCommits(client, TABLES);

    await expect(commits.commit(change('id', liveObject()))).rejects.toThrow('no credentials');
  });

  test('repeats the call after a broken connection', async () => {
    const { outcome, server } = await commit(['reset', INTERNAL, dynamoResponse()]);

    expect(outcome).toEqual({ result: 'committed' });
    expect(server.received).toHaveLength(3);
    expect(new Set(server.received.map(({ body }) => body)).size).toBe(1);
  });

  test.each<[string, ScriptedResponse]>([
    ['a token used by another change', dynamoError('IdempotentParameterMismatchException')],
    ['a missing grant', dynamoError('AccessDeniedException')],
    ['an invalid request', dynamoError('ValidationException')],
    ['an invalid write', cancelled('None', 'ValidationError')],
    ['a cancellation without a reason', cancelled('None', 'None')],
    ['a failed condition without the existing item', cancelled('ConditionalCheckFailed')],
  ])('throws without another attempt after %s', async (_, response) => {
    await withScript([response], async ({ client, server }) => {
      const commits = new DynamoCommits(client, TABLES);

      await expect(commits.commit(change('id', liveObject()))).rejects.toThrow();
      expect(operations(server)).toEqual(['TransactWriteItems']);
    });
  });

  test('makes the same request for the same change at any time, as its token requires', async () => {
    const same = change('id', liveObject(), { idempotency: newIdempotencyRecord(), uploadId: 'u' });

    const bodies = await withScript([dynamoResponse()], async ({ client, server }) => {
      const commits = new DynamoCommits(client, TABLES);
      await commits.commit(same);
      jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
      await commits.commit(same).finally(() => jest.restoreAllMocks());
      return server.received.map(({ body }) => body);
    });

    expect(bodies).toHaveLength(2);
    expect(bodies[0]).toBe(bodies[1]);
  });
});
