import { deleteAll, getAll, putAll } from '../../../adapters/dynamodb/batches';
import { dynamoError, dynamoResponse } from '../../support/scripted-server';
import { withScript } from './scripted-dynamo';

const keysOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: { S: String(n) } }));

test('getAll reads 100 keys by each call, and returns what all of them found', async () => {
  const keys = keysOf(250);
  await withScript(
    [dynamoResponse({ Responses: { t: [keys[0]] } })],
    async ({ client, server }) => {
      expect(await getAll(client, 't', keys)).toEqual([keys[0], keys[0], keys[0]]);

      const asked = server.received.map(({ body }) => JSON.parse(body).RequestItems.t.Keys);
      expect(asked.map(({ length }) => length).sort()).toEqual([100, 100, 50]);
      expect(asked.flat()).toEqual(expect.arrayContaining(keys));
    },
  );
});

test.each([
  ['deleteAll', deleteAll, (Key: object): object => ({ DeleteRequest: { Key } })],
  ['putAll', putAll, (Item: object): object => ({ PutRequest: { Item } })],
])('%s writes 25 items by each call, and makes none without items', async (_, all, requestOf) => {
  const items = keysOf(60);
  await withScript([dynamoResponse()], async ({ client, server }) => {
    await all(client, 't', []);
    expect(server.received).toEqual([]);
    await all(client, 't', items);

    const asked = server.received.map(({ body }) => JSON.parse(body).RequestItems.t);
    expect(asked.map(({ length }) => length).sort()).toEqual([10, 25, 25]);
    expect(asked.flat()).toEqual(expect.arrayContaining(items.map(requestOf)));
  });
});

test.each([
  ['getAll', getAll, 100],
  ['deleteAll', deleteAll, 25],
  ['putAll', putAll, 25],
])(
  '%s makes 32 calls at a time, and none after an error, which it throws',
  async (_, all, size) => {
    const denied = dynamoError('AccessDeniedException');
    await withScript([denied], async ({ client, server }) => {
      await expect(all(client, 't', keysOf(40 * size))).rejects.toMatchObject({
        name: 'AccessDeniedException',
      });
      expect(server.received).toHaveLength(32);
    });
  },
);
