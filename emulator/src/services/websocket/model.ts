/**
 * Reads the WebSocket API of a stack, once at start. Refuses what is not emulated by logical id and
 * property path.
 */

import { UserError } from '../../errors/user-error';
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import { Properties } from '../../template/properties';
import { resourcesOfType } from '../../template/resources';
import { readInvocation } from '../rest-api/model/invocation-uri';
import { QUOTAS } from './limits';

export interface Route {
  /** `$connect`, `$default`, or a value of the selection expression. */
  readonly routeKey: string;
  readonly functionArn: string;
  readonly timeoutMs: number;
}

export interface WebSocketModel {
  readonly region: string;
  readonly accountId: string;
  readonly apiId: string;
  readonly stage: string;
  /** The path in a message's JSON to the key of its route. */
  readonly selection: readonly string[];
  readonly routes: ReadonlyMap<string, Route>;
}

const TYPES = 'AWS::ApiGatewayV2::';
const EMULATED = ['Api', 'Integration', 'Route', 'Stage'];

/** Returns undefined when the stack has no WebSocket API. */
export function readWebSocketApi(stack: ResolvedStack): WebSocketModel | undefined {
  const resources = [...stack.resources.values()].filter(({ type }) => type.startsWith(TYPES));
  if (resources.length === 0) return undefined;
  for (const resource of resources) {
    if (EMULATED.includes(resource.type.slice(TYPES.length))) continue;
    throw new UserError(`${resource.logicalId} (${resource.type}): is not emulated`);
  }
  const api = one(stack, 'Api');
  const selection = readApi(new Properties(api));
  const stage = readStage(new Properties(one(stack, 'Stage')));
  for (const resource of resources) {
    if (resource !== api) requireApi(new Properties(resource), api);
  }
  return {
    region: stack.region,
    accountId: stack.accountId,
    apiId: api.physicalId,
    stage,
    selection,
    routes: readRoutes(stack),
  };
}

/** The host name of the API in AWS. */
export function domainName({ apiId, region }: WebSocketModel): string {
  return `${apiId}.execute-api.${region}.amazonaws.com`;
}

/** The ARN of a route in permissions, and of a method of @connections in policies. */
export function sourceArn(model: WebSocketModel, rest: string): string {
  const { region, accountId, apiId, stage } = model;
  return `arn:aws:execute-api:${region}:${accountId}:${apiId}/${stage}/${rest}`;
}

function one(stack: ResolvedStack, name: string): ResolvedResource {
  const found = resourcesOfType(stack, TYPES + name);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const names = found.map(({ logicalId }) => logicalId).join(', ') || 'none';
  throw new UserError(
    `${stack.stackName}: the emulator serves one WebSocket API with one Stage; the template has as ${name}: ${names}`,
  );
}

function requireApi(resource: Properties, api: ResolvedResource): void {
  if (resource.string('ApiId') !== api.physicalId) {
    resource.refuse(`names another API than ${api.logicalId}`, 'ApiId');
  }
}

const SELECTION = /^\$request\.body\.(\w+(?:\.\w+)*)$/;

function readApi(api: Properties): readonly string[] {
  api.only(
    'Name',
    'Description',
    'Tags',
    'ProtocolType',
    'RouteSelectionExpression',
    'DisableExecuteApiEndpoint',
  );
  api.mustBeOff('DisableExecuteApiEndpoint');
  if (api.string('ProtocolType') !== 'WEBSOCKET') {
    api.refuse('must be WEBSOCKET: HTTP APIs are not emulated', 'ProtocolType');
  }
  const expression = api.string('RouteSelectionExpression');
  const path = SELECTION.exec(expression)?.[1];
  return (
    path?.split('.') ??
    api.refuse(`must be $request.body.<name>, not ${expression}`, 'RouteSelectionExpression')
  );
}

function readStage(stage: Properties): string {
  stage.only(
    'ApiId',
    'StageName',
    'AutoDeploy',
    'Description',
    'Tags',
    'DefaultRouteSettings',
    'AccessLogSettings',
  );
  if (!stage.boolean('AutoDeploy')) stage.refuse('must be true', 'AutoDeploy');
  const name = stage.string('StageName');
  if (!/^[\w-]{1,128}$/.test(name)) {
    stage.refuse('may hold only letters, digits, - and _', 'StageName');
  }
  return name;
}

function readRoutes(stack: ResolvedStack): ReadonlyMap<string, Route> {
  const integrations = resourcesOfType(stack, `${TYPES}Integration`);
  const targets = new Map(
    integrations.map((resource) => [
      `integrations/${resource.physicalId}`,
      readIntegration(new Properties(resource), stack),
    ]),
  );
  const routes = new Map<string, Route>();
  for (const resource of resourcesOfType(stack, `${TYPES}Route`)) {
    const route = new Properties(resource).only(
      'ApiId',
      'ApiKeyRequired',
      'AuthorizationType',
      'OperationName',
      'RouteKey',
      'Target',
    );
    route.mustBeOff('ApiKeyRequired');
    const authorization = route.optionalString('AuthorizationType') ?? 'NONE';
    if (authorization !== 'NONE') route.refuse('must be NONE', 'AuthorizationType');
    const routeKey = route.string('RouteKey');
    if (routes.has(routeKey)) route.refuse(`occurs twice: ${routeKey}`, 'RouteKey');
    const target = route.string('Target');
    const integration = targets.get(target) ?? route.refuse(`is unknown: ${target}`, 'Target');
    routes.set(routeKey, { routeKey, ...integration });
    if (routes.size > QUOTAS.routes) route.refuse(`is one of more than ${QUOTAS.routes}`);
  }
  return routes;
}

function readIntegration(integration: Properties, stack: ResolvedStack) {
  integration.only(
    'ApiId',
    'Description',
    'IntegrationMethod',
    'IntegrationType',
    'IntegrationUri',
    'TimeoutInMillis',
  );
  if (integration.string('IntegrationType') !== 'AWS_PROXY') {
    integration.refuse('must be AWS_PROXY', 'IntegrationType');
  }
  if ((integration.optionalString('IntegrationMethod') ?? 'POST') !== 'POST') {
    integration.refuse('must be POST: Lambda accepts no other method', 'IntegrationMethod');
  }
  const { functionArn, streaming } = readInvocation(integration, 'IntegrationUri', stack);
  if (streaming)
    integration.refuse('streams, which WebSocket APIs do not support', 'IntegrationUri');
  const timeoutMs = integration.number('TimeoutInMillis', QUOTAS.timeoutMs);
  if (timeoutMs < QUOTAS.minTimeoutMs || timeoutMs > QUOTAS.timeoutMs) {
    integration.refuse(`must be ${QUOTAS.minTimeoutMs} to ${QUOTAS.timeoutMs}`, 'TimeoutInMillis');
  }
  return { functionArn, timeoutMs };
}
