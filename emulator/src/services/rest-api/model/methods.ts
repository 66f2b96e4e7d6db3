/** Reads the routes from AWS::ApiGateway::Resource and Method. */
import type { ResolvedResource, ResolvedStack } from '../../../template/model';
import { Properties } from '../../../template/properties';
import { QUOTAS } from '../limits/limits';
import type { AuthorizerModel } from './authorizer-model';
import { readInvocation } from './invocation-uri';

/** The methods that ANY matches. */
export const HTTP_METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'] as const;

export interface Route {
  readonly resourceId: string;
  /** `/api/{key+}` */
  readonly resourcePath: string;
  /** One of HTTP_METHODS, or ANY. */
  readonly httpMethod: string;
  readonly operationName?: string;
  readonly functionArn: string;
  readonly streaming: boolean;
  readonly timeoutMs: number;
  readonly authorizer?: AuthorizerModel;
  /** The methods for which the function's policy permits API Gateway to invoke it. */
  readonly permitted: ReadonlySet<string>;
}

interface Source {
  readonly stack: ResolvedStack;
  readonly resources: readonly ResolvedResource[];
  readonly methods: readonly ResolvedResource[];
  readonly authorizers: ReadonlyMap<string, AuthorizerModel>;
  mayInvoke(functionArn: string, method: string, path: string): boolean;
}

export function readRoutes(source: Source): readonly Route[] {
  const pathOf = resourcePaths(source);
  const seen = new Set<string>();
  return source.methods.map((resource) => {
    const method = new Properties(resource);
    const route = readMethod(method, source, pathOf);
    const key = `${route.httpMethod} ${route.resourceId}`;
    if (seen.has(key)) method.refuse(`occurs twice: ${route.httpMethod}`, 'HttpMethod');
    seen.add(key);
    return route;
  });
}

const PATH_PART = /^(?:[\w.:-]+|\{[\w.:-]+\+?\})$/;

/**
 * Returns a function from a resource's id to its path. An id that is not a resource of the template
 * must be the root of the API.
 */
function resourcePaths({ resources, methods }: Source): (id: string) => string {
  const known = new Map(resources.map((resource) => [resource.physicalId, resource]));
  let root: string | undefined;
  const paths = new Map<string, string>();
  const places = new Map<string, string>();
  const pathOf = (id: string): string => paths.get(id) ?? (id === root ? '/' : '');
  const visit = (id: string, from: Properties, name: string): string => {
    const resource = known.get(id);
    if (resource === undefined) {
      root ??= id;
      if (root !== id) from.refuse(`is neither a resource nor the root: ${id}`, name);
      return '';
    }
    const found = paths.get(id);
    if (found !== undefined) return found;
    const properties = new Properties(resource).only('RestApiId', 'ParentId', 'PathPart');
    const part = properties.string('PathPart');
    if (!PATH_PART.test(part)) properties.refuse(`is not a path part: ${part}`, 'PathPart');
    const parent = visit(properties.string('ParentId'), properties, 'ParentId');
    if (parent.endsWith('+}')) properties.refuse('must not follow a greedy part', 'PathPart');
    // AWS refuses `{a}` and `{b}` under the same parent.
    const place = `${parent}/${part.replace(/\{[^+}]*/, '{')}`;
    if (places.has(place)) properties.refuse(`collides with ${places.get(place)}`, 'PathPart');
    places.set(place, resource.logicalId);
    paths.set(id, `${parent}/${part}`);
    return `${parent}/${part}`;
  };
  for (const resource of resources)
    visit(resource.physicalId, new Properties(resource), 'ParentId');
  for (const resource of methods) {
    const properties = new Properties(resource);
    visit(properties.string('ResourceId'), properties, 'ResourceId');
  }
  return pathOf;
}

function readMethod(method: Properties, source: Source, pathOf: (id: string) => string): Route {
  method.only(
    'RestApiId',
    'ResourceId',
    'HttpMethod',
    'OperationName',
    'AuthorizationType',
    'AuthorizerId',
    'ApiKeyRequired',
    'Integration',
    // Used for SDK generation only: responses of AWS_PROXY integrations are not mapped.
    'MethodResponses',
  );
  method.mustBeOff('ApiKeyRequired');
  const httpMethod = method.string('HttpMethod');
  const methods =
    httpMethod === 'ANY' ? HTTP_METHODS : HTTP_METHODS.filter((m) => m === httpMethod);
  if (methods.length === 0) method.refuse(`is not supported: ${httpMethod}`, 'HttpMethod');
  const integration = method.object('Integration') ?? method.refuse('is missing', 'Integration');
  const resourceId = method.string('ResourceId');
  const resourcePath = pathOf(resourceId);
  const operationName = method.optionalString('OperationName');
  const target = readIntegration(integration, source.stack);
  // Only a wildcard of the permission matches a path parameter.
  const sourcePath = resourcePath.replace(/\{[^{}]*\}/g, '\u0000{}');
  const authorizer = readAuthorization(method, source);
  return {
    resourceId,
    resourcePath,
    httpMethod,
    ...(operationName !== undefined && { operationName }),
    ...target,
    ...(authorizer && { authorizer }),
    permitted: new Set(
      methods.filter((name) => source.mayInvoke(target.functionArn, name, sourcePath)),
    ),
  };
}

function readAuthorization(method: Properties, source: Source): AuthorizerModel | undefined {
  const type = method.string('AuthorizationType');
  if (type === 'NONE') return undefined;
  if (type !== 'CUSTOM') method.refuse(`${type} is not emulated`, 'AuthorizationType');
  const id = method.string('AuthorizerId');
  return source.authorizers.get(id) ?? method.refuse(`is unknown: ${id}`, 'AuthorizerId');
}

function readIntegration(integration: Properties, stack: ResolvedStack) {
  integration.only(
    'Type',
    'Uri',
    'IntegrationHttpMethod',
    'ResponseTransferMode',
    'TimeoutInMillis',
    'PassthroughBehavior',
  );
  const type = integration.string('Type');
  if (type !== 'AWS_PROXY')
    integration.refuse(`${type} is not emulated: only AWS_PROXY is`, 'Type');
  if (integration.string('IntegrationHttpMethod') !== 'POST') {
    integration.refuse('must be POST: Lambda accepts no other method', 'IntegrationHttpMethod');
  }
  const mode = integration.optionalString('ResponseTransferMode') ?? 'BUFFERED';
  if (mode !== 'BUFFERED' && mode !== 'STREAM') {
    integration.refuse(`is unknown: ${mode}`, 'ResponseTransferMode');
  }
  const { functionArn, streaming } = readInvocation(integration, 'Uri', stack);
  if (streaming !== (mode === 'STREAM')) {
    integration.refuse(`does not fit ResponseTransferMode ${mode}`, 'Uri');
  }
  const ceiling = streaming ? QUOTAS.streamTimeoutMs : QUOTAS.bufferedTimeoutMs;
  const timeoutMs = integration.number('TimeoutInMillis', QUOTAS.bufferedTimeoutMs);
  if (timeoutMs < QUOTAS.minTimeoutMs || timeoutMs > ceiling) {
    integration.refuse(`must be ${QUOTAS.minTimeoutMs} to ${ceiling}`, 'TimeoutInMillis');
  }
  return { functionArn, streaming, timeoutMs };
}
