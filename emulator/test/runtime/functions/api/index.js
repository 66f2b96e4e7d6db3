// Makes the call that the body names; 403 when its role does not allow it.
const { DynamoDBClient, PutItemCommand } = require('@aws-sdk/client-dynamodb');
const { PutObjectCommand, S3Client } = require('@aws-sdk/client-s3');
const dynamodb = new DynamoDBClient({});
const s3 = new S3Client({ forcePathStyle: true });

const attempts = {
  item: ({ id }) =>
    dynamodb.send(new PutItemCommand({ TableName: process.env.TABLE, Item: { id: { S: id } } })),
  object: ({ key }) =>
    s3.send(new PutObjectCommand({ Bucket: process.env.BUCKET, Key: key, Body: 'x' })),
};

exports.handler = async (event) => {
  const { attempt, ...input } = JSON.parse(event.body);
  try {
    await attempts[attempt](input);
    return { statusCode: 200, body: 'done' };
  } catch (error) {
    return { statusCode: 403, body: `${error.name}: ${error.message}` };
  }
};
