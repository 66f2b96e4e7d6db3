/** The operations of SQS, for requests that are authenticated and authorised. */
import { createHash } from 'node:crypto';
import type { Json } from '../../values/json';
import { queueAttributes } from './attributes';
import { invalidParameter, SqsError } from './errors';
import type { Input } from './input';
import { md5, sequenceNumber } from './message';
import type { FifoSettings, QueueDefinition } from './queue-definition';
import type { NewMessage, Queues } from './queues';

export interface Call {
  readonly queues: Queues;
  readonly queue: QueueDefinition;
  readonly input: Input;
  /** ARN of the caller. */
  readonly caller: string;
  /** Of the request: the AWS SDK in a function sends it. */
  readonly traceHeader?: string;
  /** URL of the queue at this endpoint. */
  readonly url: string;
}

export interface Operation {
  /** The IAM action that the caller needs; a batch needs the action of the single call. */
  readonly action: string;
  readonly members: readonly string[];
  readonly perform: (call: Call) => Json | Promise<Json>;
}

const SEND = ['MessageBody', 'DelaySeconds', 'MessageGroupId', 'MessageDeduplicationId'];
const MAX_BATCH_BYTES = 1_048_576;

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  ChangeMessageVisibility: {
    action: 'sqs:ChangeMessageVisibility',
    members: ['QueueUrl', 'ReceiptHandle', 'VisibilityTimeout'],
    perform: (call) => changeVisibility(call, call.input),
  },
  ChangeMessageVisibilityBatch: {
    action: 'sqs:ChangeMessageVisibility',
    members: ['QueueUrl', 'Entries'],
    perform: (call) =>
      batch(call, ['ReceiptHandle', 'VisibilityTimeout'], (entry) => changeVisibility(call, entry)),
  },
  DeleteMessage: {
    action: 'sqs:DeleteMessage',
    members: ['QueueUrl', 'ReceiptHandle'],
    perform: (call) => deleteMessage(call, call.input),
  },
  DeleteMessageBatch: {
    action: 'sqs:DeleteMessage',
    members: ['QueueUrl', 'Entries'],
    perform: (call) => batch(call, ['ReceiptHandle'], (entry) => deleteMessage(call, entry)),
  },
  GetQueueAttributes: {
    action: 'sqs:GetQueueAttributes',
    members: ['QueueUrl', 'AttributeNames'],
    perform: ({ queues, queue, input }) => ({
      Attributes: queueAttributes(queue, queues.counts(queue), input.texts('AttributeNames')),
    }),
  },
  GetQueueUrl: {
    action: 'sqs:GetQueueUrl',
    members: ['QueueName', 'QueueOwnerAWSAccountId'],
    perform: ({ url }) => ({ QueueUrl: url }),
  },
  PurgeQueue: {
    action: 'sqs:PurgeQueue',
    members: ['QueueUrl'],
    perform: ({ queues, queue }) => {
      queues.purge(queue);
      return {};
    },
  },
  ReceiveMessage: {
    action: 'sqs:ReceiveMessage',
    members: [
      'QueueUrl',
      'AttributeNames',
      'MaxNumberOfMessages',
      'MessageAttributeNames',
      'MessageSystemAttributeNames',
      'VisibilityTimeout',
      'WaitTimeSeconds',
    ],
    perform: receive,
  },
  SendMessage: {
    action: 'sqs:SendMessage',
    members: ['QueueUrl', ...SEND],
    perform: (call) => {
      return sendOne(call, readMessage(call.queue, call.input));
    },
  },
  SendMessageBatch: {
    action: 'sqs:SendMessage',
    members: ['QueueUrl', 'Entries'],
    perform: sendBatch,
  },
};

async function receive({ queues, queue, input }: Call): Promise<Json> {
  const names = [...input.texts('AttributeNames'), ...input.texts('MessageSystemAttributeNames')];
  const hideFor = seconds(input, 'VisibilityTimeout', 43_200);
  const messages = await queues.receive(queue, {
    limit: input.integer('MaxNumberOfMessages', 1, 10) ?? 1,
    wait: seconds(input, 'WaitTimeSeconds', 20) ?? queue.receiveWait,
    hideFor,
  });
  if (messages.length === 0) return {};
  return {
    Messages: messages.map(({ id, handle, body, md5OfBody, attributes }) => {
      const wanted = Object.entries(attributes).filter(
        ([name]) => names.includes(name) || names.includes('All'),
      );
      return {
        MessageId: id,
        ReceiptHandle: handle,
        Body: body,
        MD5OfBody: md5OfBody,
        ...(wanted.length > 0 && { Attributes: Object.fromEntries(wanted) }),
      };
    }),
  };
}

function sendBatch(call: Call): Json {
  const { queue, input } = call;
  const entries = input.entries();
  const total = entries.reduce((sum, { entry }) => sum + bytesOf(entry.text('MessageBody')), 0);
  if (total > MAX_BATCH_BYTES) {
    throw new SqsError(
      'BatchRequestTooLong',
      `Batch requests cannot be longer than ${MAX_BATCH_BYTES} bytes. You have sent ${total} bytes.`,
    );
  }
  return settle(entries, ({ id, entry }) => {
    const message = readMessage(queue, entry.only(['Id', ...SEND]));
    return { Id: id, ...sendOne(call, message) };
  });
}

function sendOne({ queues, queue, caller, traceHeader }: Call, message: NewMessage): Json {
  const { id, fifo } = queues.send(queue, { ...message, traceHeader }, caller);
  return {
    MessageId: id,
    MD5OfMessageBody: md5(message.body),
    ...(fifo && { SequenceNumber: sequenceNumber(fifo) }),
  };
}

function batch(call: Call, members: readonly string[], perform: (entry: Input) => Json): Json {
  return settle(call.input.entries(), ({ id, entry }) => {
    perform(entry.only(['Id', ...members]));
    return { Id: id };
  });
}

/** Performs each entry of a batch; entries succeed or fail independently. */
function settle<T extends { readonly id: string }>(
  entries: readonly T[],
  perform: (entry: T) => Json,
): Json {
  const successful: Json[] = [];
  const failed: Json[] = [];
  for (const entry of entries) {
    try {
      successful.push(perform(entry));
    } catch (error) {
      if (!(error instanceof SqsError)) throw error;
      const { queryCode, message } = error;
      failed.push({ Id: entry.id, Code: queryCode, Message: message, SenderFault: true });
    }
  }
  return { Successful: successful, ...(failed.length > 0 && { Failed: failed }) };
}

function changeVisibility({ queues, queue }: Call, input: Input): Json {
  const hideFor = seconds(input, 'VisibilityTimeout', 43_200);
  if (hideFor === undefined) {
    throw new SqsError(
      'MissingParameter',
      'The request must contain the parameter VisibilityTimeout.',
    );
  }
  queues.changeVisibility(queue, input.text('ReceiptHandle'), hideFor);
  return {};
}

function deleteMessage({ queues, queue }: Call, input: Input): Json {
  queues.delete(queue, input.text('ReceiptHandle'));
  return {};
}

/** The characters that XML 1.0 does not allow. */
const UNSENDABLE = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

function readMessage(queue: QueueDefinition, input: Input): NewMessage {
  const body = input.text('MessageBody');
  if (bytesOf(body) > queue.maxMessageBytes) {
    const reason = `Message must be shorter than ${queue.maxMessageBytes} bytes`;
    throw invalidParameter('MessageBody', '(too long)', reason);
  }
  if (UNSENDABLE.test(body)) {
    throw new SqsError(
      'InvalidMessageContents',
      'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.',
    );
  }
  if (queue.fifo) return { body, fifo: readFifo(queue.fifo, input, body) };
  for (const name of ['MessageGroupId', 'MessageDeduplicationId']) {
    if (!input.has(name)) continue;
    throw new SqsError(
      'UnsupportedOperation',
      `the emulator does not support ${name} for standard queues`,
    );
  }
  return { body, delay: seconds(input, 'DelaySeconds', 900) };
}

/** Alphanumeric characters and punctuation. */
const FIFO_ID = /^[!-~]{1,128}$/;

function readFifo(
  { contentBased }: FifoSettings,
  input: Input,
  body: string,
): NonNullable<NewMessage['fifo']> {
  if (input.has('DelaySeconds')) {
    const reason = 'The request include parameter that is not valid for this queue type';
    throw invalidParameter('DelaySeconds', input.values.DelaySeconds, reason);
  }
  if (!contentBased && !input.has('MessageDeduplicationId')) {
    throw new SqsError(
      'InvalidParameterValue',
      'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    );
  }
  const id = (name: string) => {
    const value = input.text(name);
    if (FIFO_ID.test(value)) return value;
    throw invalidParameter(name, value, 'Must be 1 to 128 alphanumeric characters or punctuation');
  };
  return {
    groupId: id('MessageGroupId'),
    deduplicationId: input.has('MessageDeduplicationId')
      ? id('MessageDeduplicationId')
      : createHash('sha256').update(body).digest('hex'),
  };
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** In milliseconds; undefined when it is absent. */
function seconds(input: Input, name: string, most: number): number | undefined {
  const value = input.integer(name, 0, most);
  return value === undefined ? undefined : value * 1000;
}
