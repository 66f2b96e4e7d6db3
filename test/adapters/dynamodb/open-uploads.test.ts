/** The index of the open uploads, by which the janitor finds those that have expired. */
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DynamoCommits } from '../../../adapters/dynamodb/commits';
import { DynamoUploads } from '../../../adapters/dynamodb/uploads';
import { useDynamoEngine } from '../../support/dynamo-engine';
import { AT, change, LATER, liveObject, newUpload } from '../../support/samples';
import { createTables, type Tables } from '../../support/tables';

const CONTENT = { size: 1, etag: 'a', contentType: 'text/plain', headers: {}, metadata: {} };

const engine = useDynamoEngine();
let client: DynamoDBClient;
let tables: Tables;
let uploads: DynamoUploads;

beforeAll(async () => {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  client = new DynamoDBClient({
    endpoint: (await engine()).endpoint,
    region: 'us-east-1',
    credentials,
  });
  tables = await createTables(client, 'open');
  uploads = new DynamoUploads(client, tables.uploads, { now: () => Date.parse(AT) });
});
afterAll(() => client.destroy());

/** The ids in the index. */
async function indexed(): Promise<(string | undefined)[]> {
  const input = { TableName: tables.uploads, IndexName: 'open' };
  const { Items = [] } = await client.send(new ScanCommand(input));
  return Items.map(({ id }) => id?.S);
}

test('the index has an upload while it is pending or staged, and none that is settled', async () => {
  const create = async () => {
    const upload = newUpload({ expiresAt: AT });
    await uploads.create(upload);
    return upload;
  };
  const [pending, staged, refused, committed] = [
    await create(),
    await create(),
    await create(),
    await create(),
  ];
  await uploads.stage(staged.id, CONTENT, LATER);
  await uploads.renew({ ...pending, expiresAt: LATER });
  expect(await indexed()).toHaveLength(4);

  await uploads.refuse(refused.id, 'expired');
  const commit = change(committed.bucketId, liveObject(), { uploadId: committed.id });
  expect(await new DynamoCommits(client, tables).commit(commit)).toEqual({ result: 'committed' });

  expect((await indexed()).sort()).toEqual([pending.id, staged.id].sort());
});
