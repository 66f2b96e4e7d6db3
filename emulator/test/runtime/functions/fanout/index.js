// Stream of the table -> bucket.
const { PutObjectCommand, S3Client } = require('@aws-sdk/client-s3');
const s3 = new S3Client({ forcePathStyle: true });
exports.handler = async ({ Records }) => {
  for (const { dynamodb } of Records) {
    const Key = `seen/${dynamodb.NewImage.id.S}`;
    // Large enough for a data file of its own.
    const Body = 'seen'.padEnd(5000);
    await s3.send(new PutObjectCommand({ Bucket: process.env.BUCKET, Key, Body }));
  }
  return { batchItemFailures: [] };
};
