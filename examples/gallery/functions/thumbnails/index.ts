/**
 * Is told of changes in the bucket, and keeps for each picture a thumbnail beside it and a row in
 * the table.
 *
 * A change is taken as a hint to look at that key now. So it does not matter if it is told twice,
 * or looks at an object that was changed again since: the next hint is on its way then.
 */
import { DeleteItemCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { BUCKET, storage, unlessMissing } from '../storage';
import { decode, encode, NoPicture, shrink } from './png';

/** What stowage sends: "React to changes" in docs/construct.md. */
type Message =
  | { readonly type: 'changes'; readonly changes: readonly Change[] }
  | { readonly type: 'reset' };

interface Change {
  readonly object: { readonly key: string };
}

const ORIGINALS = 'originals/';
const THUMBNAILS = 'thumbnails/';

/** The longer side of a thumbnail, in pixels. */
const SIDE = 128;

const { PICTURES_TABLE } = process.env;
const table = new DynamoDBClient();

export async function handler(message: Message): Promise<void> {
  for (const key of await keysOf(message)) await refresh(key);
}

/** Its own thumbnails come as changes too, and are passed over. */
async function keysOf(message: Message): Promise<readonly string[]> {
  if (message.type === 'changes') {
    const keys = message.changes.map(({ object }) => object.key);
    return [...new Set(keys)].filter((key) => key.startsWith(ORIGINALS));
  }
  // Changes were lost, after an outage of weeks: whatever is there now is looked at.
  const keys: string[] = [];
  let pageToken: string | undefined;
  do {
    const page = await storage.list(BUCKET, { prefix: ORIGINALS, limit: 1000, pageToken });
    keys.push(...page.objects.map(({ key }) => key));
    pageToken = page.next_page_token;
  } while (pageToken !== undefined);
  return keys;
}

async function refresh(key: string): Promise<void> {
  const thumbnail = key.replace(ORIGINALS, THUMBNAILS);
  const picture = await read(key);
  if (picture === undefined) {
    await storage.delete(BUCKET, thumbnail).catch(unlessMissing);
    await table.send(
      new DeleteItemCommand({ TableName: PICTURES_TABLE, Key: { key: { S: key } } }),
    );
    return;
  }
  await storage.put(BUCKET, thumbnail, encode(shrink(picture, SIDE)), { contentType: 'image/png' });
  const { width, height } = picture;
  await table.send(
    new PutItemCommand({
      TableName: PICTURES_TABLE,
      Item: {
        key: { S: key },
        thumbnail: { S: thumbnail },
        width: { N: `${width}` },
        height: { N: `${height}` },
      },
    }),
  );
}

/**
 * undefined: deleted, or nothing that a thumbnail can be made of. To throw would hold up all
 * changes behind it.
 */
async function read(key: string) {
  const content = await storage.get(BUCKET, key).catch(unlessMissing);
  if (content === undefined) return undefined;
  try {
    return decode(Buffer.from(await content.arrayBuffer()));
  } catch (error) {
    if (!(error instanceof NoPicture)) throw error;
    console.log(`no thumbnail of ${key}: ${error.message}`);
    return undefined;
  }
}
