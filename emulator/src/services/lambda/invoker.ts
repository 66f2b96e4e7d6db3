import type { Readable } from 'node:stream';
import type { Payload } from './payload';

export interface InvokeResult {
  /**
   * The function's result as JSON text, or the error object (`errorType`, `errorMessage`, `trace`).
   */
  readonly payload: string;
  /** Set when the function threw, exited or timed out. */
  readonly functionError?: 'Unhandled';
  /** The id of the invocation, as in the function's log. */
  readonly requestId?: string;
}

export interface StreamResult {
  /** Set by `awslambda.HttpResponseStream`; `application/octet-stream` by default. */
  readonly contentType: string;
  /**
   * The raw bytes of the function, with the metadata. Emits an error when the function fails after
   * the first byte.
   */
  readonly body: Readable;
}

/**
 * The service for which a function is invoked. Lambda rejects with AccessDeniedException when no
 * statement of the function's policy (AWS::Lambda::Permission) permits that service and resource.
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
 * Lambda's Invoke API, in process. Without a source the caller is the developer. A trace header
 * continues a chain of requests (lineage.ts). All methods reject with LambdaServiceError when
 * Lambda refuses the invocation.
 */
export interface Invoker {
  /**
   * RequestResponse. 6,291,456 bytes in, 6,291,556 out; larger results are a functionError
   * (`Function.ResponseSizeTooLarge`).
   */
  invoke(
    functionArn: string,
    payload: Payload,
    source?: InvokeSource,
    traceHeader?: string,
  ): Promise<InvokeResult>;
  /**
   * InvokeWithResponseStream. Resolves at the first byte; rejects with FunctionError when the
   * function fails before it.
   */
  invokeStream(functionArn: string, payload: Payload, source?: InvokeSource): Promise<StreamResult>;
  /**
   * Event, as JSON text: queued; up to 2 retries on function errors, as AWS. Resolves when queued.
   */
  invokeAsync(
    functionArn: string,
    payload: string,
    source?: InvokeSource,
    traceHeader?: string,
  ): Promise<void>;
}

/** Lambda refused the invocation: the REST API returns 500, or 413 for RequestTooLargeException. */
export class LambdaServiceError extends Error {
  constructor(
    readonly code:
      | 'ResourceNotFoundException'
      | 'TooManyRequestsException'
      | 'RequestTooLargeException'
      | 'AccessDeniedException'
      | 'RecursiveInvocationException',
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
