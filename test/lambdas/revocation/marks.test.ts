/** Which cached copies of keys are marked as out of date, on the fakes. */
import type { DynamoDBRecord } from 'aws-lambda';
import { createRevocation } from '../../../lambdas/revocation/app';
import { openChannelWorld } from '../../support/channel-world';

const record = (
  eventName: DynamoDBRecord['eventName'],
  id: string,
  SequenceNumber = '1',
): DynamoDBRecord => ({ eventName, dynamodb: { SequenceNumber, Keys: { id: { S: id } } } });

async function setUp() {
  const { deps } = await openChannelWorld();
  const revocation = createRevocation(deps);
  /** When the copies of a key were marked last; undefined: never. */
  const markedAt = (id: string) => deps.state.rates.get(id)?.changedAt;
  return { deps, markedAt, review: (...Records: DynamoDBRecord[]) => revocation({ Records }) };
}

test.each<[string, readonly DynamoDBRecord['eventName'][], boolean]>([
  ['a key that was changed', ['MODIFY'], true],
  ['a key that was deleted', ['REMOVE'], true],
  ['a new key, of which there are none,', ['INSERT'], false],
  ['a key that is new and changed at once', ['INSERT', 'MODIFY'], true],
  ['a key that was restored', ['MODIFY', 'INSERT'], true],
  ['a new key that is reported twice', ['INSERT', 'INSERT'], false],
])('the copies of %s are marked as out of date: %#', async (_, events, isMarked) => {
  const { deps, markedAt, review } = await setUp();
  const records = events.map((event, n) => record(event, 'k', String(n + 1)));
  expect(await review(...records)).toEqual({ batchItemFailures: [] });
  expect(markedAt('k')).toBe(isMarked ? deps.clock.now() : undefined);
});

test('a batch is repeated from the first record of a key that cannot be marked', async () => {
  const { deps, markedAt, review } = await setUp();
  const { markChanged } = deps.rates;
  const broken = new Error('no response');
  jest.spyOn(deps.rates, 'markChanged').mockImplementation(async (id, at) => {
    if (id === 'k2') throw broken;
    return markChanged.call(deps.rates, id, at);
  });
  const records = ['k1', 'k2', 'k2', 'k3'].map((id, n) => record('MODIFY', id, String(n + 1)));
  expect(await review(...records)).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
  expect(['k1', 'k3'].map(markedAt)).toEqual([deps.clock.now(), deps.clock.now()]);
  expect(deps.log.lines).toEqual([
    { level: 'error', event: 'revocation_failed', fields: { keyId: 'k2', error: broken } },
  ]);
});
