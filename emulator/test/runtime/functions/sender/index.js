// Sends the body to a queue. Returns `sent` or the name of the error.
const { SendMessageCommand, SQSClient } = require('@aws-sdk/client-sqs');
const sqs = new SQSClient({});
exports.handler = async ({ body: MessageBody, to = process.env.JOBS }) => {
  try {
    await sqs.send(new SendMessageCommand({ QueueUrl: to, MessageBody }));
    return 'sent';
  } catch (error) {
    return error.name;
  }
};
