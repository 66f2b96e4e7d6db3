// S3 event -> table.
const { DynamoDBClient, PutItemCommand } = require('@aws-sdk/client-dynamodb');
const dynamodb = new DynamoDBClient({});
exports.handler = async ({ Records }) => {
  for (const { s3 } of Records) {
    const key = decodeURIComponent(s3.object.key.replace(/\+/g, ' '));
    const item = { id: { S: key } };
    await dynamodb.send(new PutItemCommand({ TableName: process.env.TABLE, Item: item }));
  }
};
