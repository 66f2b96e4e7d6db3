import { PutItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { type Fault, type FaultKind, RandomFaults } from '../../src/services/dynamodb/faults';
import { failure } from '../support/failure';
import { allRecords, useClient, useService } from './service';

const key = (id: string) => ({ id: { S: id }, n: { N: '1' } });
const put = (id = 'a') => new PutItemCommand({ TableName: 'Log', Item: key(id) });
const transaction = () =>
  new TransactWriteItemsCommand({
    TransactItems: [
      { Put: { TableName: 'Log', Item: key('a') } },
      { Put: { TableName: 'Notes', Item: key('a') } },
    ],
  });

/** Starts a service whose first calls have these faults. Later calls have no fault. */
async function useFaults(...faults: Fault[]) {
  const service = await useService({ faults: { next: () => faults.shift() } });
  return { service, client: useClient(service.endpoint) };
}

test.each<[FaultKind, string]>([
  ['TransactionConflict', 'TransactionConflictException'],
  ['ProvisionedThroughputExceeded', 'ProvisionedThroughputExceededException'],
  ['Throttling', 'ThrottlingException'],
  ['InternalServerError', 'InternalServerError'],
])('%s: a put fails with %s and writes nothing', async (kind, name) => {
  const { service, client } = await useFaults({ kind });

  const error = await failure(client.send(put()));
  const read = await client.getItem({ TableName: 'Log', Key: key('a') });

  expect(error.name).toBe(name);
  expect(read.Item).toBeUndefined();
  expect(await allRecords(service)).toEqual([]);
});

test.each<[FaultKind, string]>([
  ['TransactionConflict', 'TransactionConflict'],
  ['ProvisionedThroughputExceeded', 'ProvisionedThroughputExceeded'],
  ['Throttling', 'ThrottlingError'],
])('%s: a transaction is cancelled with the reason %s', async (kind, code) => {
  const { client } = await useFaults({ kind });
  const error = await failure(client.send(transaction()));
  expect(error).toMatchObject({
    name: 'TransactionCanceledException',
    message: expect.stringContaining(`[${code}, None]`),
    CancellationReasons: [{ Code: code, Message: expect.any(String) }, { Code: 'None' }],
  });
});

test.each<FaultKind>(['InternalServerErrorAfter', 'ConnectionLostAfter'])(
  '%s: the write happens although its response is lost',
  async (kind) => {
    const { service, client } = await useFaults({ kind });

    const error = await failure(client.send(put()));
    const read = await client.getItem({ TableName: 'Log', Key: key('a') });

    expect(error.name).not.toBe('');
    expect(read.Item).toEqual(key('a'));
    expect(await allRecords(service)).toHaveLength(1);
  },
);

test.each<FaultKind>([
  'Throttling',
  'InternalServerError',
  'InternalServerErrorAfter',
  'ConnectionLost',
  'ConnectionLostAfter',
  'TransactionInProgress',
])('%s: the SDK retries, and the transaction is performed once', async (kind) => {
  const service = await useService({ faults: oneFault(kind) });
  const client = useClient(service.endpoint, { maxAttempts: 3 });

  // The SDK retries all errors except a cancelled transaction.
  if (kind === 'Throttling') await client.send(put());
  else await client.send(transaction());

  expect(await allRecords(service)).toHaveLength(1);
});

function oneFault(kind: FaultKind) {
  const faults: Fault[] = [{ kind }];
  return { next: () => faults.pop() };
}

test('Unprocessed: a batch performs its first entry and returns the others', async () => {
  const { client } = await useFaults({ kind: 'Unprocessed' }, { kind: 'Unprocessed' });
  const written = await client.batchWriteItem({
    RequestItems: {
      Log: ['a', 'b'].map((id) => ({ PutRequest: { Item: key(id) } })),
      Notes: [{ PutRequest: { Item: key('c') } }],
    },
  });
  const read = await client.batchGetItem({
    RequestItems: { Log: { Keys: [key('a'), key('b')], ConsistentRead: true } },
  });

  expect(written.UnprocessedItems).toEqual({
    Log: [{ PutRequest: { Item: key('b') } }],
    Notes: [{ PutRequest: { Item: key('c') } }],
  });
  expect(read.Responses).toEqual({ Log: [key('a')] });
  expect(read.UnprocessedKeys).toEqual({ Log: { Keys: [key('b')], ConsistentRead: true } });
});

test('a delay delays the call', async () => {
  const { client } = await useFaults({ delayMilliseconds: 60 });
  const start = Date.now();
  await client.send(put());
  expect(Date.now() - start).toBeGreaterThanOrEqual(59);
});

test('the same seed leads to the same faults, and rules select operation and table', () => {
  const rules = [
    { kind: 'TransactionConflict', probability: 0.5, tables: ['Log'] },
    { kind: 'Throttling', probability: 0.5, operations: ['Query'] },
  ] as const;
  const draw = (seed: number) => {
    const faults = new RandomFaults(seed, rules);
    const kinds = Array.from({ length: 50 }, (_, index) => {
      const operation = ['PutItem', 'Query'][index % 2] ?? '';
      const tables = [['Log', 'Notes'][index % 4 < 2 ? 0 : 1] ?? ''];
      return [operation, tables[0], faults.next({ operation, tables, caller: 'x' })?.kind];
    });
    return { kinds, fired: faults.fired };
  };

  const first = draw(1);

  expect(draw(1)).toEqual(first);
  expect(draw(2).kinds).not.toEqual(first.kinds);
  expect(first.fired.get('TransactionConflict')).toBeGreaterThan(0);
  for (const [operation, table, kind] of first.kinds) {
    if (kind === 'TransactionConflict') expect([operation, table]).toEqual(['PutItem', 'Log']);
    if (kind === 'Throttling') expect(operation).toBe('Query');
  }
});
