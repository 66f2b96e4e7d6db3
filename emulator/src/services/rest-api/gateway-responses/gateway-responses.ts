/**
 * The error responses of API Gateway itself, and how AWS::ApiGateway::GatewayResponse changes them.
 * Source: "Gateway response types for API Gateway"
 * and "Gateway responses" of the developer guide.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Properties } from '../../../template/properties';
import { compileTemplate, type Template, type Variables } from './variables';

interface ErrorClass {
  readonly status: number;
  /** `x-amzn-ErrorType`. */
  readonly errorType: string;
}

export const GATEWAY_RESPONSE_TYPES = {
  ACCESS_DENIED: { status: 403, errorType: 'AccessDeniedException' },
  API_CONFIGURATION_ERROR: { status: 500, errorType: 'ApiConfigurationException' },
  AUTHORIZER_CONFIGURATION_ERROR: { status: 500, errorType: 'AuthorizerConfigurationException' },
  AUTHORIZER_FAILURE: { status: 500, errorType: 'AuthorizerFailureException' },
  BAD_REQUEST_BODY: { status: 400, errorType: 'BadRequestException' },
  BAD_REQUEST_PARAMETERS: { status: 400, errorType: 'BadRequestException' },
  DEFAULT_4XX: { status: 400, errorType: 'BadRequestException' },
  DEFAULT_5XX: { status: 500, errorType: 'InternalServerErrorException' },
  EXPIRED_TOKEN: { status: 403, errorType: 'ExpiredTokenException' },
  INTEGRATION_FAILURE: { status: 504, errorType: 'IntegrationFailureException' },
  INTEGRATION_TIMEOUT: { status: 504, errorType: 'InternalServerErrorException' },
  INVALID_API_KEY: { status: 403, errorType: 'ForbiddenException' },
  INVALID_SIGNATURE: { status: 403, errorType: 'InvalidSignatureException' },
  MISSING_AUTHENTICATION_TOKEN: { status: 403, errorType: 'MissingAuthenticationTokenException' },
  QUOTA_EXCEEDED: { status: 429, errorType: 'LimitExceededException' },
  // Of the stages. A body above 10 MB is refused before them, in plain text: gateway.ts.
  REQUEST_TOO_LARGE: { status: 413, errorType: 'BadRequestException' },
  RESOURCE_NOT_FOUND: { status: 404, errorType: 'NotFoundException' },
  THROTTLED: { status: 429, errorType: 'TooManyRequestsException' },
  UNAUTHORIZED: { status: 401, errorType: 'UnauthorizedException' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, errorType: 'UnsupportedMediaTypeException' },
  WAF_FILTERED: { status: 403, errorType: 'ForbiddenException' },
} as const satisfies Record<string, ErrorClass>;

export type GatewayResponseType = keyof typeof GATEWAY_RESPONSE_TYPES;

/** An error that API Gateway reports itself. `renderGatewayResponse` turns it into a response. */
export class GatewayError extends Error {
  constructor(
    readonly type: GatewayResponseType,
    /** `$context.error.message`; null for failures of authorizers, as in AWS. */
    readonly shown: string | null,
    /** Differs from the type's status for 502, which has no type of its own. */
    readonly status: number = GATEWAY_RESPONSE_TYPES[type].status,
    /** For the execution log. */
    readonly reason?: string,
  ) {
    super(reason ?? shown ?? type);
    this.name = 'GatewayError';
  }
}

/** 502, with AWS's text: the function failed, or its output is malformed. */
export function badGateway(reason: string): GatewayError {
  return new GatewayError('DEFAULT_5XX', 'Internal server error', 502, reason);
}

/** 500, with AWS's text: Lambda refused the invocation, or the output cannot be decoded. */
export function internalError(reason: string): GatewayError {
  return new GatewayError('DEFAULT_5XX', 'Internal server error', 500, reason);
}

export interface GatewayResponse {
  readonly status?: number;
  readonly template?: Template;
  /** Name, value, name, value … */
  readonly headers: readonly string[];
}

export type GatewayResponses = ReadonlyMap<GatewayResponseType, GatewayResponse>;

/**
 * The names of `$context` that a gateway response may use. Others are refused at start instead of
 * being empty.
 */
const CONTEXT_NAMES = new Set(
  `accountId apiId awsEndpointRequestId deploymentId domainName domainPrefix error.message error.messageString
  error.responseType error.validationErrorString extendedRequestId httpMethod identity.accountId identity.apiKey
  identity.apiKeyId identity.caller identity.sourceIp identity.user identity.userAgent identity.userArn
  isCanaryRequest operationName path protocol requestId requestTime requestTimeEpoch resourceId resourcePath
  stage xrayTraceId`.split(/\s+/),
);

export function readGatewayResponse(
  properties: Properties,
): readonly [GatewayResponseType, GatewayResponse] {
  properties.only(
    'RestApiId',
    'ResponseType',
    'StatusCode',
    'ResponseParameters',
    'ResponseTemplates',
  );
  const type = properties.string('ResponseType');
  if (!isGatewayResponseType(type)) {
    return properties.refuse(`is not a gateway response type: ${type}`, 'ResponseType');
  }
  const status = properties.optionalString('StatusCode');
  if (status !== undefined && !/^[2-5]\d\d$/.test(status)) {
    properties.refuse(`must be three digits, not ${status}`, 'StatusCode');
  }
  return [
    type,
    {
      ...(status !== undefined && { status: Number(status) }),
      ...readTemplate(properties),
      headers: readHeaders(properties),
    },
  ];
}

function isGatewayResponseType(type: string): type is GatewayResponseType {
  return Object.hasOwn(GATEWAY_RESPONSE_TYPES, type);
}

function readTemplate(properties: Properties): { template?: Template } {
  const templates = properties.stringMap('ResponseTemplates');
  if (templates === undefined) return {};
  const { 'application/json': source, ...others } = templates;
  const other = Object.keys(others)[0];
  const at = `ResponseTemplates.${other ?? 'application/json'}`;
  if (other !== undefined) properties.refuse('is not emulated: only application/json is', at);
  if (source === undefined) return {};
  let template: Template;
  try {
    template = compileTemplate(source);
  } catch (error) {
    return properties.refuse(error instanceof Error ? error.message : String(error), at);
  }
  for (const name of template.names) {
    const [root = '', ...rest] = name.split('.');
    const known =
      root === 'context'
        ? rest[0] === 'authorizer' || CONTEXT_NAMES.has(rest.join('.'))
        : root === 'stageVariables' && rest.length === 1;
    if (!known) properties.refuse(`uses $${name}, which the emulator does not know`, at);
  }
  return { template };
}

const HEADER_PARAMETER = /^gatewayresponse\.header\.([!#$%&'*+.^_`|~0-9A-Za-z-]+)$/;

function readHeaders(properties: Properties): readonly string[] {
  const headers: string[] = [];
  for (const [parameter, value] of Object.entries(
    properties.stringMap('ResponseParameters') ?? {},
  )) {
    const at = `ResponseParameters.${parameter}`;
    const name = HEADER_PARAMETER.exec(parameter)?.[1];
    if (name === undefined) return properties.refuse('is not emulated: only headers are', at);
    const text = /^'([^']*)'$/.exec(value)?.[1];
    if (text === undefined) {
      return properties.refuse(`must be a static value in single quotes, not ${value}`, at);
    }
    try {
      validateHeaderName(name);
      validateHeaderValue(name, text);
    } catch {
      properties.refuse(`is not a valid header: ${JSON.stringify(text)}`, at);
    }
    headers.push(name, text);
  }
  return headers;
}

const PLAIN = compileTemplate('{"message":$context.error.messageString}');
/** AWS writes this one with a capital M. */
const DENIED = compileTemplate('{"Message":$context.error.messageString}');

export interface RenderedResponse {
  readonly status: number;
  /** Name, value, name, value … */
  readonly headers: readonly string[];
  readonly body: string;
}

/** Uses the response of the error's type, else DEFAULT_4XX or DEFAULT_5XX, else AWS's default. */
export function renderGatewayResponse(
  responses: GatewayResponses,
  error: GatewayError,
  variables: Variables,
): RenderedResponse {
  const fallback = error.status >= 500 ? 'DEFAULT_5XX' : 'DEFAULT_4XX';
  const own = responses.get(error.type) ?? responses.get(fallback);
  const template = own?.template ?? (error.type === 'ACCESS_DENIED' ? DENIED : PLAIN);
  const details = {
    message: error.shown ?? '',
    messageString: JSON.stringify(error.shown),
    responseType: error.type,
  };
  const context = { ...variables.context, error: details };
  const headers = own?.headers ?? [];
  const typed = headers.some((text, i) => i % 2 === 0 && text.toLowerCase() === 'content-type');
  return {
    status: own?.status ?? error.status,
    headers: [
      ...headers,
      ...(typed ? [] : ['Content-Type', 'application/json']),
      'x-amzn-ErrorType',
      GATEWAY_RESPONSE_TYPES[error.type].errorType,
    ],
    body: template.render({ ...variables, context }, ''),
  };
}
