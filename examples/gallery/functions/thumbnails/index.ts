/**
 * Is notified of changes in the bucket, and maintains a thumbnail and a row of the table for each
 * picture.
 *
 * For each change, the function reads the current object of that key. So a repeated notification
 * has no effect. If the object has changed again since, another notification follows.
 */
import { DeleteItemCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { BUCKET, storage, unlessMissing } from '../storage';
import { decode, encode, NoPicture, shrink } from './png';

/** A notification of stowage: docs/targets.md. */
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

/**
 * Returns the keys of changed originals. Skips thumbnails, which the function itself writes.
 */
async function keysOf(message: Message): Promise<readonly string[]> {
  if (message.type === 'changes') {
    const keys = message.changes.map(({ object }) => object.key);
    return [...new Set(keys)].filter((key) => key.startsWith(ORIGINALS));
  }
  // Changes were trimmed before the function could process them, so process all pictures.
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
 * Returns the decoded picture; undefined when the object was deleted or is not a picture. An error
 * would delay all later changes.
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
