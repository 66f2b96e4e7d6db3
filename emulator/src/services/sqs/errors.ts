import { randomUUID } from 'node:crypto';
import type { PostReply } from '../post-endpoint';

/** Errors of AWS's common front end have the namespace of Coral, all others that of SQS. */
const FRONT = new Set([
  'AccessDeniedException',
  'IncompleteSignatureException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'SerializationException',
  'UnknownOperationException',
  'UnrecognizedClientException',
]);

/**
 * The codes of the older Query protocol, where they differ: the SDK returns them as `error.Code`.
 */
const QUERY_CODES: Readonly<Record<string, string>> = {
  AccessDeniedException: 'AccessDenied',
  BatchEntryIdsNotDistinct: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
  BatchRequestTooLong: 'AWS.SimpleQueueService.BatchRequestTooLong',
  EmptyBatchRequest: 'AWS.SimpleQueueService.EmptyBatchRequest',
  InvalidBatchEntryId: 'AWS.SimpleQueueService.InvalidBatchEntryId',
  MessageNotInflight: 'AWS.SimpleQueueService.MessageNotInflight',
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  TooManyEntriesInBatchRequest: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
  UnsupportedOperation: 'AWS.SimpleQueueService.UnsupportedOperation',
};

/**
 * An error that a client of SQS sees.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html
 */
export class SqsError extends Error {
  constructor(
    /** `QueueDoesNotExist` */
    readonly code: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
    this.name = 'SqsError';
  }

  get queryCode(): string {
    return QUERY_CODES[this.code] ?? this.code;
  }
}

export function invalidParameter(name: string, value: unknown, reason: string): SqsError {
  return new SqsError(
    'InvalidParameterValue',
    `Value ${String(value)} for parameter ${name} is invalid. Reason: ${reason}.`,
  );
}

const JSON_TYPE = 'application/x-amz-json-1.0';

export function jsonReply(value: unknown): PostReply {
  return {
    status: 200,
    headers: { 'content-type': JSON_TYPE, 'x-amzn-requestid': randomUUID() },
    body: Buffer.from(JSON.stringify(value)),
  };
}

export function errorReply(error: SqsError): PostReply {
  const namespace = FRONT.has(error.code) ? 'com.amazon.coral.service' : 'com.amazonaws.sqs';
  const body = { __type: `${namespace}#${error.code}`, message: error.message };
  return {
    status: error.status,
    headers: {
      'content-type': JSON_TYPE,
      'x-amzn-requestid': randomUUID(),
      'x-amzn-query-error': `${error.queryCode};${error.status < 500 ? 'Sender' : 'Receiver'}`,
    },
    body: Buffer.from(JSON.stringify(body)),
  };
}
