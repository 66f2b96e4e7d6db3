/** `copyTable` against a real DynamoDB engine. */
import {
  CreateTableCommand,
  DynamoDBClient,
  type KeySchemaElement,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { putAll } from '../../adapters/dynamodb/batches';
import { copyTable, type TableRef } from '../../cli/operate/backup-recovery/copy-table';
import { useDynamoEngine } from '../support/dynamo-engine';

const engine = useDynamoEngine();
let client: DynamoDBClient;

beforeAll(async () => {
  const { endpoint } = await engine();
  const credentials = { accessKeyId: 'copy', secretAccessKey: 'copy' };
  client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
});

afterAll(() => client.destroy());

let tables = 0;

async function createTable(keys: readonly string[] = ['p', 's']): Promise<TableRef> {
  tables += 1;
  const name = `table-${tables}`;
  const KeySchema = keys.map(
    (AttributeName, at): KeySchemaElement => ({ AttributeName, KeyType: at ? 'RANGE' : 'HASH' }),
  );
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema,
      AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    }),
  );
  return { client, name };
}

/** Three pages of a scan: DynamoDB returns 1 MB at a time. */
const COUNT = 300;
const item = (n: number, text = 'x') => ({
  p: { S: 'one' },
  s: { S: `item ${n}` },
  text: { S: text.repeat(10_000) },
});

async function fill({ name }: TableRef, items: readonly ReturnType<typeof item>[]): Promise<void> {
  for (let at = 0; at < items.length; at += 500)
    await putAll(client, name, items.slice(at, at + 500));
}

async function itemsOf({ name }: TableRef): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const { Items = [] } of paginateScan({ client }, { TableName: name }))
    for (const { s, text } of Items) found.set(s?.S ?? '', text?.S?.[0] ?? '');
  return found;
}

test('copyTable makes the target equal to the source, over several pages', async () => {
  const [from, to] = [await createTable(), await createTable()];
  await fill(
    from,
    Array.from({ length: COUNT }, (_, n) => item(n, 'new')),
  );
  await fill(
    to,
    Array.from({ length: COUNT }, (_, n) => item(n + COUNT / 2, 'old')),
  );
  const before = await itemsOf(to);

  expect(await copyTable(from, to, false)).toEqual({ put: COUNT, removed: COUNT / 2 });
  expect(await itemsOf(to)).toEqual(before);

  expect(await copyTable(from, to, true)).toEqual({ put: COUNT, removed: COUNT / 2 });
  expect(await itemsOf(to)).toEqual(await itemsOf(from));
  expect(await copyTable(from, to, true)).toEqual({ put: COUNT, removed: 0 });
});

test('copyTable empties the target when the source is empty', async () => {
  const [from, to] = [await createTable(), await createTable()];
  await fill(
    to,
    Array.from({ length: COUNT }, (_, n) => item(n)),
  );
  expect(await copyTable(from, to, true)).toEqual({ put: 0, removed: COUNT });
  expect((await itemsOf(to)).size).toBe(0);
});

test('copyTable refuses tables with different key schemas', async () => {
  const [from, to] = [await createTable(['p']), await createTable()];
  await expect(copyTable(from, to, true)).rejects.toThrow(/these are not the same table$/);
});
