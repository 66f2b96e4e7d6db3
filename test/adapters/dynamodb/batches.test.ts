import { deleteAll, getAll, putAll } from '../../../adapters/dynamodb/batches';
import { dynamoResponse } from '../../support/scripted-server';
import { withScript } from './scripted-dynamo';

const keysOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: { S: String(n) } }));

test('getAll reads at most 100 keys a call, and returns the items of all calls', async () => {
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
])(
  '%s writes at most 25 items a call, and makes no call without items',
  async (_, all, requestOf) => {
    const items = keysOf(60);
    await withScript([dynamoResponse()], async ({ client, server }) => {
      await all(client, 't', []);
      expect(server.received).toEqual([]);
      await all(client, 't', items);

      const asked = server.received.map(({ body }) => JSON.parse(body).RequestItems.t);
      expect(asked.map(({ length }) => length).sort()).toEqual([10, 25, 25]);
      expect(asked.flat()).toEqual(expect.arrayContaining(items.map(requestOf)));
    });
  },
);
