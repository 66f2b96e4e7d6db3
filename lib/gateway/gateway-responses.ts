import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import { NO_VALID_KEY } from '../../service/routes/routes';

/** A response of API Gateway itself, in the format of docs/api.md, "Errors". */
interface GatewayError {
  readonly type: apigateway.ResponseType;
  /**
   * Absent for the two defaults: a status there would replace the status of every type that is not
   * listed here.
   */
  readonly status?: number;
  readonly code: string;
  /** Says what happened, and what to do. */
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const T = apigateway.ResponseType;

const UNAUTHORIZED = {
  status: 401,
  code: 'unauthorized',
  message: NO_VALID_KEY,
  headers: { 'WWW-Authenticate': 'Bearer' },
} as const;

const FORBIDDEN = {
  status: 403,
  code: 'forbidden',
  message: 'the API key has no access to this resource: use a key with the permission it needs',
} as const;

const UNKNOWN_PATH = {
  status: 404,
  code: 'not_found',
  message: 'this path does not exist: paths begin with /api/v2/storage/',
} as const;

/** The edge returns the same error. */
export const PAYLOAD_TOO_LARGE = {
  status: 413,
  code: 'payload_too_large',
  message: 'the body is too large for one request: upload it by POST /api/v2/storage/signed-url',
} as const;

const RATE_LIMITED = {
  status: 429,
  code: 'rate_limited',
  message: 'too many requests: wait for the seconds that Retry-After says, then try again',
  headers: { 'Retry-After': '1' },
} as const;

const INTERNAL = {
  status: 500,
  code: 'internal',
  message: 'internal error: report the request_id if it happens again',
} as const;

const UNAVAILABLE = {
  status: 503,
  code: 'unavailable',
  message:
    'the service did not respond in time: wait for the seconds that Retry-After says, then try again',
  headers: { 'Retry-After': '1' },
} as const;

/**
 * Every response type that API Gateway lets one customise.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const GATEWAY_ERRORS: readonly GatewayError[] = [
  { type: T.UNAUTHORIZED, ...UNAUTHORIZED },
  // An Authorization header signed for AWS, in place of an API key.
  { type: T.INVALID_SIGNATURE, ...UNAUTHORIZED },
  { type: T.EXPIRED_TOKEN, ...UNAUTHORIZED },
  // The resource policy refuses what did not come through the edge. The authorizer refuses no key
  // that it knows.
  {
    type: T.ACCESS_DENIED,
    ...FORBIDDEN,
    message: 'this address accepts no requests: send them to the base URL of the service',
  },
  { type: T.INVALID_API_KEY, ...FORBIDDEN },
  {
    type: T.WAF_FILTERED,
    ...FORBIDDEN,
    message: 'the request was refused by a firewall rule: ask the operator of this service',
  },
  // API Gateway's response to a path or method that no resource has.
  { type: T.MISSING_AUTHENTICATION_TOKEN, ...UNKNOWN_PATH },
  { type: T.RESOURCE_NOT_FOUND, ...UNKNOWN_PATH },
  {
    type: T.BAD_REQUEST_PARAMETERS,
    status: 400,
    code: 'invalid_request',
    message: 'a parameter of the request is missing or malformed: correct it and send it again',
  },
  {
    type: T.BAD_REQUEST_BODY,
    status: 400,
    code: 'invalid_request',
    message: 'the body of the request is malformed: correct it and send it again',
  },
  {
    type: T.UNSUPPORTED_MEDIA_TYPE,
    status: 400,
    code: 'invalid_request',
    message: 'the Content-Type of the request is not supported here: send another one',
  },
  // Not for bodies above 10 MB: API Gateway refuses those in plain text, whatever is set here.
  { type: T.REQUEST_TOO_LARGE, ...PAYLOAD_TOO_LARGE },
  { type: T.THROTTLED, ...RATE_LIMITED },
  { type: T.QUOTA_EXCEEDED, ...RATE_LIMITED },
  // The authorizer threw or timed out: the key may be valid, so this is not a 401.
  {
    type: T.AUTHORIZER_FAILURE,
    ...UNAVAILABLE,
    message:
      'the API key could not be checked: wait for the seconds that Retry-After says, then try again',
  },
  { type: T.INTEGRATION_FAILURE, ...UNAVAILABLE },
  { type: T.INTEGRATION_TIMEOUT, ...UNAVAILABLE },
  { type: T.AUTHORIZER_CONFIGURATION_ERROR, ...INTERNAL },
  { type: T.API_CONFIGURATION_ERROR, ...INTERNAL },
  {
    type: T.DEFAULT_4XX,
    code: 'invalid_request',
    message: 'the request cannot be served as it was sent: compare it with the documentation',
  },
  // Includes the 502 for a function that failed, and the 500 for one that Lambda throttled: a retry
  // may succeed.
  {
    type: T.DEFAULT_5XX,
    code: 'internal',
    message: 'internal error: try again, and report the request_id if it happens again',
    headers: { 'Retry-After': '1' },
  },
];

/** The value of a static header cannot contain quotes, so there is no Content-Security-Policy. */
const NO_SNIFFING = { 'X-Content-Type-Options': 'nosniff' } as const;

/** Gives every error of the gateway itself the format of the service's own errors. */
export function addGatewayResponses(restApi: apigateway.RestApi): void {
  for (const error of GATEWAY_ERRORS) {
    // This method also renames the deployment. Without a new deployment a change has no effect.
    restApi.addGatewayResponse(constructId(error.type), {
      type: error.type,
      statusCode: error.status?.toString(),
      templates: { 'application/json': bodyTemplate(error) },
      responseHeaders: quoted({ ...NO_SNIFFING, ...error.headers }),
    });
  }
}

/**
 * Plain substitution, no VTL: only `$context.requestId` varies, and it contains no quotes. Ends
 * with a newline, as every JSON body of the interface.
 */
function bodyTemplate(error: GatewayError): string {
  const { code, message } = error;
  return `${JSON.stringify({ error: { code, message, request_id: '$context.requestId' } })}\n`;
}

/** API Gateway expects static header values in single quotes. */
function quoted(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}

/** `ACCESS_DENIED` -> `AccessDenied` */
function constructId(type: apigateway.ResponseType): string {
  return type.responseType
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');
}
