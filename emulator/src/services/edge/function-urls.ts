/**
 * The URLs of functions (AWS::Lambda::Url) that are origins of the distribution. Only the
 * distribution may invoke them: it signs each request by its origin access control.
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-restricting-access-to-lambda.html
 */
import { matchesWildcards } from '../../iam/wildcards';
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import { Properties } from '../../template/properties';
import { optionalText, resourcesOfType, textProperty } from '../../template/resources';
import type { Invoker } from '../lambda/invoker';
import { GatewayError } from '../rest-api/gateway-responses/gateway-responses';
import { type InvokedRoute, integrate } from '../rest-api/integration';
import { BOUNDS, QUOTAS } from '../rest-api/limits/limits';
import type { Field } from '../rest-api/request/headers';
import { type Exchange, sendComplete } from '../rest-api/response/exchange';
import type { EdgeModel, Origin } from './model';

export interface FunctionUrls {
  /**
   * Returns what passes a request to the function behind the origin; undefined when the origin is
   * not such a URL.
   */
  at(origin: Origin): ((exchange: Exchange) => Promise<void>) | undefined;
}

interface Surroundings {
  readonly invoker: Invoker;
  readonly executionLog: (line: string) => void;
}

/** Throws UserError for a URL that is not emulated. */
export function readFunctionUrls(
  stack: ResolvedStack,
  edge: EdgeModel | undefined,
  surroundings: Surroundings,
): FunctionUrls {
  const handlers = new Map(
    resourcesOfType(stack, 'AWS::Lambda::Url').map((resource) => {
      const url = readUrl(resource, stack, edge);
      return [new URL(url.address).host, handler(url, surroundings)] as const;
    }),
  );
  return {
    at: ({ domainName, path }) => (path === '' ? handlers.get(domainName) : undefined),
  };
}

interface FunctionUrl {
  readonly address: string;
  readonly route: InvokedRoute;
}

function readUrl(
  resource: ResolvedResource,
  stack: ResolvedStack,
  edge: EdgeModel | undefined,
): FunctionUrl {
  const url = new Properties(resource).only('AuthType', 'InvokeMode', 'TargetFunctionArn');
  if (url.string('AuthType') !== 'AWS_IAM') {
    url.refuse('must be AWS_IAM: anybody could invoke the function', 'AuthType');
  }
  if (url.string('InvokeMode') !== 'RESPONSE_STREAM') {
    url.refuse('must be RESPONSE_STREAM: others are not emulated', 'InvokeMode');
  }
  const address = resource.functionUrl ?? url.refuse('has no address');
  const origin = [...(edge?.origins.values() ?? [])].find(
    ({ domainName }) => domainName === new URL(address).host,
  );
  if (edge === undefined || origin === undefined) {
    return url.refuse('is not an origin of the distribution, and others are not emulated');
  }
  checkAccessControl(stack, origin, url);
  const functionArn = url.string('TargetFunctionArn');
  const mayInvoke = isPermitted(stack, functionArn, edge.id);
  const timeoutMs = QUOTAS.streamTimeoutMs;
  const permitted = new Set(mayInvoke ? METHODS : []);
  return { address, route: { functionArn, permitted, timeoutMs, streaming: true } };
}

/** Requests with a body would need the hash of it from the client, in x-amz-content-sha256. */
const METHODS = ['GET', 'HEAD'];

function checkAccessControl(stack: ResolvedStack, origin: Origin, url: Properties): void {
  const found = resourcesOfType(stack, 'AWS::CloudFront::OriginAccessControl').find(
    ({ physicalId }) => physicalId === origin.accessControlId,
  );
  const control = found ?? url.refuse(`needs an access control: origin ${origin.id} has none`);
  const config = new Properties(control).object('OriginAccessControlConfig');
  for (const [name, value] of [
    ['OriginAccessControlOriginType', 'lambda'],
    ['SigningBehavior', 'always'],
    ['SigningProtocol', 'sigv4'],
  ] as const) {
    if (config?.string(name) !== value) new Properties(control).refuse(`must be ${value}`, name);
  }
}

/**
 * Since October 2025 a URL needs both permissions.
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
 */
function isPermitted(stack: ResolvedStack, functionArn: string, distributionId: string): boolean {
  const source = `arn:aws:cloudfront::${stack.accountId}:distribution/${distributionId}`;
  return ['lambda:InvokeFunctionUrl', 'lambda:InvokeFunction'].every((action) =>
    resourcesOfType(stack, 'AWS::Lambda::Permission').some(
      (permission) =>
        matchesWildcards(textProperty(permission, 'Action'), action) &&
        textProperty(permission, 'FunctionName') === functionArn &&
        textProperty(permission, 'Principal') === 'cloudfront.amazonaws.com' &&
        matchesWildcards(optionalText(permission, 'SourceArn') ?? '*', source),
    ),
  );
}

function handler({ address, route }: FunctionUrl, { invoker, executionLog }: Surroundings) {
  const integration = { invoker, binaryMediaTypes: [], bounds: BOUNDS };
  return async (exchange: Exchange): Promise<void> => {
    try {
      if (!route.permitted.has(exchange.method)) return refuse(exchange, 403, 'Forbidden');
      await integrate(integration, exchange, route, eventOf(exchange, address));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      executionLog(`(${exchange.requestId}) function URL: ${reason}`);
      if (exchange.response.headersSent) exchange.response.destroy();
      else if (error instanceof GatewayError) refuse(exchange, 502, 'Internal Server Error');
      else throw error;
    }
  };
}

function refuse(exchange: Exchange, status: number, Message: string): void {
  const headers = ['Content-Type', 'application/json'];
  sendComplete(exchange, { status, headers }, Buffer.from(JSON.stringify({ Message })));
}

/** Set by the connection between CloudFront and Lambda, or part of its signature. */
const NOT_PASSED_ON =
  /^(?:authorization|connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|x-amz-(?:content-sha256|date|security-token))$/;

/**
 * Returns the event, in the format 2.0. CloudFront replaces Authorization by its own signature,
 * which the function does not see. The path is decoded here, so that no function relies on how AWS
 * sends it.
 */
function eventOf(exchange: Exchange, address: string): string {
  const { request, fields, requestId, sourceIp, time } = exchange;
  const [rawPath = '', ...query] = (request.url ?? '').split('?');
  const { host } = new URL(address);
  const path = decoded(rawPath);
  const shown = [...fields].filter(([name]) => !NOT_PASSED_ON.test(name));
  const headers = Object.fromEntries([
    ...shown.map(([name, { values }]: readonly [string, Field]) => [name, values.join(',')]),
    ['host', host],
    ['x-amzn-trace-id', exchange.traceId],
    ['x-forwarded-for', sourceIp],
    ['x-forwarded-port', '443'],
    ['x-forwarded-proto', 'https'],
  ]);
  return JSON.stringify({
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query.join('?'),
    headers,
    requestContext: {
      accountId: 'anonymous',
      apiId: host.split('.')[0],
      domainName: host,
      domainPrefix: host.split('.')[0],
      http: {
        method: exchange.method,
        path,
        protocol: 'HTTP/1.1',
        sourceIp,
        userAgent: headers['user-agent'],
      },
      requestId,
      routeKey: '$default',
      stage: '$default',
      time: new Date(time).toUTCString(),
      timeEpoch: time,
    },
    isBase64Encoded: false,
  });
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
