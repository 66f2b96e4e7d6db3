/**
 * The one WebSocket API of a stack, read once at start. Refuses what is not emulated by logical id
 * and property path.
 */
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import { resourcesOfType } from '../../template/resources';
import { UserError } from '../../user-error';
import { readInvocation } from '../rest-api/model/invocation-uri';
import { Properties } from '../rest-api/model/properties';
import { QUOTAS } from './limits';

export interface Route {
  /** `$connect`, `$default`, or what the selection expression must yield. */
  readonly routeKey: string;
  readonly functionArn: string;
  readonly timeoutMs: number;
}

export interface WebSocketModel {
  readonly region: string;
  readonly accountId: string;
  readonly apiId: string;
  readonly stage: string;
  /** Names that lead from a message's JSON to the key of its route. */
  readonly selection: readonly string[];
  readonly routes: ReadonlyMap<string, Route>;
}

const TYPES = 'AWS::ApiGatewayV2::';
const EMULATED = ['Api', 'Deployment', 'Integration', 'Route', 'Stage'];

/** undefined: the stack has none. */
export function readWebSocketApi(stack: ResolvedStack): WebSocketModel | undefined {
  const resources = [...stack.resources.values()].filter(({ type }) => type.startsWith(TYPES));
  if (resources.length === 0) return undefined;
  for (const resource of resources) {
    if (EMULATED.includes(resource.type.slice(TYPES.length))) continue;
    throw new UserError(`${resource.logicalId} (${resource.type}): not emulated here`);
  }
  const api = one(stack, 'Api');
  const selection = readApi(new Properties(api));
  const routes = resourcesOfType(stack, `${TYPES}Route`);
  const stage = readStage(new Properties(one(stack, 'Stage')), stack, routes);
  for (const resource of resources) {
    if (resource !== api) ofThisApi(new Properties(resource), api);
  }
  return {
    region: stack.region,
    accountId: stack.accountId,
    apiId: api.physicalId,
    stage,
    selection,
    routes: readRoutes(routes, stack),
  };
}

/** The host that clients and functions know in AWS. */
export function domainName({ apiId, region }: WebSocketModel): string {
  return `${apiId}.execute-api.${region}.amazonaws.com`;
}

/** Of a route, as permissions name it; of a method of @connections, as policies do. */
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
    `${stack.stackName}: the local runtime serves one WebSocket API with one Stage, found as ${name}: ${names}`,
  );
}

function ofThisApi(resource: Properties, api: ResolvedResource): void {
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

function readStage(
  stage: Properties,
  stack: ResolvedStack,
  routes: readonly ResolvedResource[],
): string {
  stage.only(
    'ApiId',
    'StageName',
    'AutoDeploy',
    'DeploymentId',
    'Description',
    'Tags',
    'DefaultRouteSettings',
    'AccessLogSettings',
  );
  if (!stage.boolean('AutoDeploy')) checkDeployment(stage, stack, routes);
  const name = stage.string('StageName');
  if (!/^[\w-]{1,128}$/.test(name)) {
    stage.refuse('may hold only letters, digits, - and _', 'StageName');
  }
  return name;
}

/**
 * CloudFormation may snapshot the API before a route that the deployment does not depend on exists.
 */
function checkDeployment(
  stage: Properties,
  stack: ResolvedStack,
  routes: readonly ResolvedResource[],
): void {
  const id = stage.string('DeploymentId');
  const deployments = resourcesOfType(stack, `${TYPES}Deployment`);
  const deployment =
    deployments.find(({ physicalId }) => physicalId === id) ??
    stage.refuse(`names no deployment of this stack: ${id}`, 'DeploymentId');
  const properties = new Properties(deployment).only('ApiId', 'Description');
  for (const { logicalId } of routes) {
    if (!deployment.dependsOn.includes(logicalId)) {
      properties.refuse(`lacks DependsOn ${logicalId}, so AWS may deploy without it`);
    }
  }
}

function readRoutes(
  resources: readonly ResolvedResource[],
  stack: ResolvedStack,
): ReadonlyMap<string, Route> {
  const integrations = resourcesOfType(stack, `${TYPES}Integration`);
  const targets = new Map(
    integrations.map((resource) => [
      `integrations/${resource.physicalId}`,
      readIntegration(new Properties(resource), stack),
    ]),
  );
  const routes = new Map<string, Route>();
  for (const resource of resources) {
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
    if (routes.has(routeKey)) route.refuse(`is there twice: ${routeKey}`, 'RouteKey');
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
    integration.refuse('must be AWS_PROXY: no other is emulated', 'IntegrationType');
  }
  if ((integration.optionalString('IntegrationMethod') ?? 'POST') !== 'POST') {
    integration.refuse('must be POST: Lambda takes nothing else', 'IntegrationMethod');
  }
  const { functionArn, streaming } = readInvocation(integration, 'IntegrationUri', stack);
  if (streaming) integration.refuse('streams, which WebSocket APIs cannot', 'IntegrationUri');
  const timeoutMs = integration.number('TimeoutInMillis', QUOTAS.timeoutMs);
  if (timeoutMs < QUOTAS.minTimeoutMs || timeoutMs > QUOTAS.timeoutMs) {
    integration.refuse(`must be ${QUOTAS.minTimeoutMs} to ${QUOTAS.timeoutMs}`, 'TimeoutInMillis');
  }
  return { functionArn, timeoutMs };
}
