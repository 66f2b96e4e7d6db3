// Sends itself `n + 1`, by the way that VIA names, until n is LAST. Then reports to a queue.
const { DynamoDBClient, PutItemCommand } = require('@aws-sdk/client-dynamodb');
const { InvokeCommand, LambdaClient } = require('@aws-sdk/client-lambda');
const { SendMessageCommand, SQSClient } = require('@aws-sdk/client-sqs');
const { AWS_LAMBDA_FUNCTION_NAME: FunctionName, LAST, QUEUE, SEEN, TABLE } = process.env;

const send = (QueueUrl, body) =>
  new SQSClient({}).send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));

const ways = {
  queue: (next) => send(QUEUE, next),
  stream: (next) =>
    new DynamoDBClient({}).send(
      new PutItemCommand({ TableName: TABLE, Item: { id: { S: JSON.stringify(next) } } }),
    ),
  invoke: (next) =>
    new LambdaClient({}).send(
      new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload: JSON.stringify(next) }),
    ),
};

const taskOf = ({ body, dynamodb }) => JSON.parse(body ?? dynamodb.NewImage.id.S);

exports.handler = async (event) => {
  for (const task of event.Records?.map(taskOf) ?? [event]) {
    if (task.n === Number(LAST)) await send(SEEN, task);
    else await ways[task.via]({ ...task, n: task.n + 1 });
  }
};
