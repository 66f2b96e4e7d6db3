// Queue -> both tables; streams of the tables -> another queue, unless the item is poison.
const { BatchWriteItemCommand, DynamoDBClient } = require('@aws-sdk/client-dynamodb');
const { SendMessageCommand, SQSClient } = require('@aws-sdk/client-sqs');
const dynamodb = new DynamoDBClient({});
const sqs = new SQSClient({});
const { TABLES, SEEN } = process.env;

const write = (id) => {
  const PutRequest = { Item: { id: { S: id }, more: { S: 'more' } } };
  const RequestItems = Object.fromEntries(
    TABLES.split(',').map((name) => [name, [{ PutRequest }]]),
  );
  return dynamodb.send(new BatchWriteItemCommand({ RequestItems }));
};

const forward = (record) => {
  if (record.dynamodb.Keys.id.S === 'poison') throw new Error('poison');
  return sqs.send(new SendMessageCommand({ QueueUrl: SEEN, MessageBody: JSON.stringify(record) }));
};

exports.handler = async ({ Records }) => {
  for (const record of Records) {
    await (record.eventSource === 'aws:sqs' ? write(record.body) : forward(record));
  }
};
