// Sends what it is told to, and says how that went.
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
