import type { Readable } from 'node:stream';
import type { Payload } from './payload';

export interface InvokeResult {
  /**
   * The function's answer as JSON text, or the error object (`errorType`, `errorMessage`, `trace`).
   */
  readonly payload: string;
  /** Set when the function threw, exited or timed out. */
  readonly functionError?: 'Unhandled';
  /** Of the invocation, as in the function's log. */
  readonly requestId?: string;
}

export interface StreamResult {
  /** What `awslambda.HttpResponseStream` set; `application/octet-stream` by default. */
  readonly contentType: string;
  /**
   * The raw bytes as the function wrote them, prelude included. Errors when the function fails
   * after the first byte.
   */
  readonly body: Readable;
}

/**
 * The service on whose behalf a function is invoked. Lambda then asks the function's own policy
 * (AWS::Lambda::Permission) and rejects with AccessDeniedException when no statement names that
 * service and resource.
 */
export interface InvokeSource {
  readonly service: 'apigateway.amazonaws.com' | 's3.amazonaws.com' | 'events.amazonaws.com';
  /**
   * `arn:aws:execute-api:{region}:{account}:{api id}/{stage}/{METHOD}{resource path}`, a bucket's
   * or a rule's ARN.
   */
  readonly arn: string;
}

/**
 * Lambda's Invoke API, in process. Without a source the developer invokes. All reject with
 * LambdaServiceError when Lambda itself refuses.
 */
export interface Invoker {
  /**
   * RequestResponse. 6,291,456 bytes in, 6,291,556 out; larger answers are a functionError
   * (`Function.ResponseSizeTooLarge`).
   */
  invoke(functionArn: string, payload: Payload, source?: InvokeSource): Promise<InvokeResult>;
  /**
   * InvokeWithResponseStream. Resolves at the first byte; rejects with FunctionError when the
   * function fails before it.
   */
  invokeStream(functionArn: string, payload: Payload, source?: InvokeSource): Promise<StreamResult>;
  /**
   * Event, as JSON text: queued; up to 2 retries on function errors, as AWS. Resolves when queued.
   */
  invokeAsync(functionArn: string, payload: string, source?: InvokeSource): Promise<void>;
}

/** Lambda refused the invocation: the REST API answers 500, or 413 for RequestTooLargeException. */
export class LambdaServiceError extends Error {
  constructor(
    readonly code:
      | 'ResourceNotFoundException'
      | 'TooManyRequestsException'
      | 'RequestTooLargeException'
      | 'AccessDeniedException',
    message: string,
  ) {
    super(message);
    this.name = 'LambdaServiceError';
  }
}

/** The function threw, exited or timed out before its first byte. */
export class FunctionError extends Error {
  constructor(readonly payload: string) {
    super(`function failed: ${payload}`);
    this.name = 'FunctionError';
  }
}
