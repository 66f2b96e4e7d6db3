import { randomUUID } from 'node:crypto';

/**
 * Errors of AWS's common front end have the namespace of Coral, all others that of DynamoDB.
 */
const NAMESPACES: Readonly<Record<string, string>> = {
  ValidationException: 'com.amazon.coral.validate',
  AccessDeniedException: 'com.amazon.coral.service',
  IncompleteSignatureException: 'com.amazon.coral.service',
  InvalidSignatureException: 'com.amazon.coral.service',
  MissingAuthenticationTokenException: 'com.amazon.coral.service',
  SerializationException: 'com.amazon.coral.service',
  ThrottlingException: 'com.amazon.coral.availability',
  UnknownOperationException: 'com.amazon.coral.service',
  UnrecognizedClientException: 'com.amazon.coral.service',
};

/**
 * An error that a client of DynamoDB sees.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
 */
export class DynamoDbError extends Error {
  constructor(
    /** `ValidationException` */
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    readonly status = 400,
  ) {
    super(message);
    this.name = 'DynamoDbError';
  }
}

export function validationError(message: string): DynamoDbError {
  return new DynamoDbError('ValidationException', message);
}

/** A response to the client. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export const JSON_TYPE = 'application/x-amz-json-1.0';

export function errorReply(error: DynamoDbError): Reply {
  const namespace = NAMESPACES[error.code] ?? 'com.amazonaws.dynamodb.v20120810';
  const body = { __type: `${namespace}#${error.code}`, message: error.message, ...error.details };
  return {
    status: error.status,
    headers: {
      'content-type': JSON_TYPE,
      'x-amzn-requestid': randomUUID(),
      'x-amzn-errortype': error.code,
    },
    body: Buffer.from(JSON.stringify(body)),
  };
}

export function jsonReply(value: unknown): Reply {
  return {
    status: 200,
    headers: { 'content-type': JSON_TYPE, 'x-amzn-requestid': randomUUID() },
    body: Buffer.from(JSON.stringify(value)),
  };
}
