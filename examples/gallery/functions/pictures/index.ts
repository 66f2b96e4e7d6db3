/**
 * `GET /pictures`: returns up to 20 pictures, each with a public link to its thumbnail that is
 * valid for five minutes.
 */
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { BUCKET, storage, unlessMissing } from '../storage';

const { PICTURES_TABLE } = process.env;
const table = new DynamoDBClient();

export async function handler() {
  const { Items = [] } = await table.send(
    new ScanCommand({ TableName: PICTURES_TABLE, Limit: 20 }),
  );
  const pictures = await Promise.all(
    Items.map(async ({ key, thumbnail, width, height }) => {
      const signing = storage.signedUrl(BUCKET, thumbnail?.S ?? '', { method: 'GET' });
      // A thumbnail may be deleted a moment before its row.
      const signed = await signing.catch(unlessMissing);
      return (
        signed && {
          key: key?.S,
          width: Number(width?.N),
          height: Number(height?.N),
          thumbnail_url: signed.url,
        }
      );
    }),
  );
  return {
    statusCode: 200,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ pictures: pictures.filter((picture) => picture !== undefined) }),
  };
}
