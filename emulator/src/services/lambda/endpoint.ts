/**
 * Lambda's Invoke over HTTP, by which one function invokes another.
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
import { randomUUID } from 'node:crypto';
import type { Iam } from '../../iam/iam';
import { Authenticator, SignatureError, type SignedRequest } from '../../iam/signature';
import type { ResolvedStack } from '../../template/model';
import { type PostReply, startPostEndpoint } from '../post-endpoint';
import type { Listening } from '../service';
import { type Invoker, LambdaServiceError } from './invoker';

export interface LambdaEndpointOptions {
  readonly stack: Pick<ResolvedStack, 'accountId' | 'region'>;
  readonly iam: Iam;
  /** Calls wait for it: this endpoint must have an address before the functions start. */
  readonly invoker: Promise<Invoker>;
}

/** Above Lambda's own limit, which therefore determines the response. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const INVOCATIONS = /^\/2015-03-31\/functions\/([^/]+)\/invocations\/?$/;

/** A refusal with AWS's code and message. */
class InvokeError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'InvokeError';
  }
}

const STATUS: Readonly<Record<LambdaServiceError['code'], number>> = {
  AccessDeniedException: 403,
  RecursiveInvocationException: 400,
  RequestTooLargeException: 413,
  ResourceNotFoundException: 404,
  TooManyRequestsException: 429,
};

/** Listens on any free port, which only functions need to know. */
export function startLambdaEndpoint(options: LambdaEndpointOptions): Promise<Listening> {
  const authenticator = new Authenticator(options.iam, options.stack.region, 'lambda');
  return startPostEndpoint({
    port: 0,
    service: 'Lambda',
    maxBodyBytes: MAX_BODY_BYTES,
    paths: INVOCATIONS,
    handle: (request) => handle(request, authenticator, options),
    refuse: (status, message) =>
      status === 413
        ? errorReply(new InvokeError(413, 'RequestTooLargeException', message))
        : errorReply(new InvokeError(404, 'UnknownOperationException', message)),
  });
}

/** Never rejects. */
async function handle(
  request: SignedRequest,
  authenticator: Authenticator,
  options: LambdaEndpointOptions,
): Promise<PostReply> {
  try {
    return await invoke(request, authenticator, options);
  } catch (error) {
    if (error instanceof InvokeError) return errorReply(error);
    if (error instanceof SignatureError) {
      return errorReply(new InvokeError(403, error.code, error.message));
    }
    if (error instanceof LambdaServiceError) {
      return errorReply(new InvokeError(STATUS[error.code], error.code, error.message));
    }
    process.stderr.write(`lambda: ${error instanceof Error ? error.stack : String(error)}\n`);
    return errorReply(new InvokeError(500, 'ServiceException', 'Internal failure'));
  }
}

async function invoke(
  request: SignedRequest,
  authenticator: Authenticator,
  { iam, invoker, stack }: LambdaEndpointOptions,
): Promise<PostReply> {
  const principal = authenticator.authenticate(request);
  const name = INVOCATIONS.exec(request.path)?.[1] ?? '';
  const place = `arn:aws:lambda:${stack.region}:${stack.accountId}:function:`;
  const resource = resourceOf(decode(name), request.query?.Qualifier, place);
  const denial = iam.denial(principal, { action: 'lambda:InvokeFunction', resource });
  if (denial !== undefined) throw new InvokeError(403, 'AccessDeniedException', denial);
  const payload = payloadOf(request.body);
  const type = request.headers['x-amz-invocation-type'] ?? 'RequestResponse';
  const traceHeader = request.headers['x-amzn-trace-id']?.toString();
  if (type === 'Event') {
    await (await invoker).invokeAsync(resource, payload, undefined, traceHeader);
    return reply(202, '');
  }
  if (type !== 'RequestResponse') {
    throw new InvokeError(
      400,
      'InvalidParameterValueException',
      `InvocationType ${type} is not emulated here`,
    );
  }
  const result = await (await invoker).invoke(resource, payload, undefined, traceHeader);
  return reply(200, result.payload, {
    'x-amz-executed-version': '$LATEST',
    ...(result.functionError && { 'x-amz-function-error': result.functionError }),
    ...(result.requestId && { 'x-amzn-requestid': result.requestId }),
  });
}

/** Returns the ARN that a policy must contain: with the qualifier, if the call has one. */
function resourceOf(name: string, qualifier: string | undefined, place: string): string {
  const [, functionName = '', own] =
    /^([a-zA-Z0-9-_]+)(?::([a-zA-Z0-9$_-]+))?$/.exec(
      name.startsWith(place) ? name.slice(place.length) : name,
    ) ?? [];
  if (functionName === '') {
    throw new InvokeError(400, 'ValidationException', `${name} is not a function of ${place}`);
  }
  if (own !== undefined && qualifier !== undefined && own !== qualifier) {
    throw new InvokeError(
      400,
      'InvalidParameterValueException',
      'The derived qualifier from the function name does not match the specified qualifier.',
    );
  }
  const given = own ?? qualifier;
  return `${place}${functionName}${given === undefined ? '' : `:${given}`}`;
}

function payloadOf(body: Buffer): string {
  const text = body.length === 0 ? '{}' : body.toString('utf8');
  try {
    JSON.parse(text);
  } catch (error) {
    throw new InvokeError(
      400,
      'InvalidRequestContentException',
      `Could not parse request body into json: ${error instanceof Error ? error.message : error}`,
    );
  }
  return text;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvokeError(400, 'ValidationException', `${text} is not percent-encoded UTF-8`);
  }
}

function reply(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): PostReply {
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-amzn-requestid': randomUUID(), ...headers },
    body: Buffer.from(text),
  };
}

function errorReply({ status, code, message }: InvokeError): PostReply {
  const type = status < 500 ? 'User' : 'Service';
  return reply(status, JSON.stringify({ Type: type, Message: message, message }), {
    'x-amzn-errortype': code,
  });
}
