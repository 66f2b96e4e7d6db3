/**
 * Reads a REST API of a stack, once at start. Refuses what is not emulated by logical id and
 * property path.
 */

import { UserError } from '../../../errors/user-error';
import type { PolicyDocument } from '../../../iam/iam';
import type { ResolvedResource, ResolvedStack } from '../../../template/model';
import { Properties } from '../../../template/properties';
import { type GatewayResponses, readGatewayResponse } from '../gateway-responses/gateway-responses';
import { QUOTAS } from '../limits/limits';
import { type AuthorizerModel, readAuthorizer } from './authorizer-model';
import { type Route, readRoutes } from './methods';
import { readPermissions } from './permissions';
import { readResourcePolicy } from './resource-policy';

export interface RestApiModel {
  readonly region: string;
  readonly accountId: string;
  readonly apiId: string;
  readonly deploymentId: string;
  readonly stage: string;
  /** null when the stage has none, as in events. */
  readonly stageVariables: Readonly<Record<string, string>> | null;
  readonly binaryMediaTypes: readonly string[];
  readonly routes: readonly Route[];
  readonly gatewayResponses: GatewayResponses;
  /** Absent: the API allows every request that its authorizers allow. */
  readonly policy?: PolicyDocument;
  /** The `$context` template of an access log line. */
  readonly accessLogFormat?: string;
  /** What the user must know of how the API differs from the template. */
  readonly note?: string;
}

const TYPES = 'AWS::ApiGateway::';

/** Returns the REST APIs in the order of the template. */
export function restApisOf(stack: ResolvedStack): readonly ResolvedResource[] {
  return [...stack.resources.values()].filter(({ type }) => type === `${TYPES}RestApi`);
}

/** Reads the API of the logical id, by default the first. Throws UserError if it has none. */
export function readRestApi(stack: ResolvedStack, logicalId?: string): RestApiModel {
  const api = restApisOf(stack).find((each) => each.logicalId === (logicalId ?? each.logicalId));
  if (api === undefined) throw new UserError(`${stack.stackName} has no REST API`);
  const ofType = (name: string) =>
    [...stack.resources.values()].filter(
      ({ type, properties }) => type === TYPES + name && properties.RestApiId === api.physicalId,
    );
  refuseOtherTypes(stack);
  const stage = one(ofType('Stage'), stack);
  const deployment = one(ofType('Deployment'), stack);
  const { binaryMediaTypes, note } = readApi(new Properties(api));
  const settings = readStage(new Properties(stage), deployment);
  const source = `arn:aws:execute-api:${stack.region}:${stack.accountId}:${api.physicalId}`;
  const mayInvoke = readPermissions(stack);
  const authorizers = new Map<string, AuthorizerModel>();
  for (const resource of limited(ofType('Authorizer'), QUOTAS.authorizers)) {
    const authorizer = readAuthorizer(new Properties(resource), stack, (functionArn) =>
      mayInvoke(functionArn, `${source}/authorizers/${resource.physicalId}`),
    );
    authorizers.set(authorizer.id, authorizer);
  }
  const methods = ofType('Method');
  const responses = ofType('GatewayResponse');
  new Properties(deployment).only('RestApiId', 'Description');
  for (const resource of [...methods, ...responses]) requireDependency(deployment, resource);
  return {
    region: stack.region,
    accountId: stack.accountId,
    apiId: api.physicalId,
    deploymentId: deployment.physicalId,
    ...settings,
    binaryMediaTypes,
    ...(note !== undefined && { note }),
    policy: readResourcePolicy(api, source),
    gatewayResponses: new Map(
      responses.map((resource) => readGatewayResponse(new Properties(resource))),
    ),
    routes: readRoutes({
      stack,
      resources: limited(ofType('Resource'), QUOTAS.resources),
      methods,
      authorizers,
      mayInvoke: (functionArn, method, path) =>
        mayInvoke(functionArn, `${source}/${settings.stage}/${method}${path}`),
    }),
  };
}

const EMULATED = [
  'Account',
  'Authorizer',
  'Deployment',
  'GatewayResponse',
  'Method',
  'Resource',
  'RestApi',
  'Stage',
];

/**
 * Refuses types such as RequestValidator, Model, UsagePlan, ApiKey and DomainName, because they
 * change responses, and resources that belong to an API outside the stack.
 */
function refuseOtherTypes(stack: ResolvedStack): void {
  const known = restApisOf(stack).map(({ physicalId }) => physicalId);
  for (const { type, logicalId, properties } of stack.resources.values()) {
    if (!type.startsWith(TYPES)) continue;
    const where = `${logicalId} (${type})`;
    if (!EMULATED.includes(type.slice(TYPES.length))) {
      throw new UserError(`${where}: is not emulated`);
    }
    const { RestApiId: api } = properties;
    if (api !== undefined && !known.some((id) => id === api)) {
      throw new UserError(`${where}.RestApiId: the stack has no such REST API`);
    }
  }
}

function one(resources: readonly ResolvedResource[], stack: ResolvedStack): ResolvedResource {
  const [only, second] = resources;
  if (only !== undefined && second === undefined) return only;
  const found = resources.map(({ logicalId }) => logicalId).join(', ') || 'none';
  throw new UserError(
    `${stack.stackName}: the emulator needs one Stage and one Deployment per REST API, found ${found}`,
  );
}

function limited(
  resources: readonly ResolvedResource[],
  quota: number,
): readonly ResolvedResource[] {
  const beyond = resources[quota];
  if (beyond === undefined) return resources;
  throw new UserError(`${beyond.logicalId} (${beyond.type}): an API has at most ${quota} of these`);
}

/** CloudFormation may create the deployment before a method on which it does not depend. */
function requireDependency(deployment: ResolvedResource, resource: ResolvedResource): void {
  if (deployment.dependsOn.includes(resource.logicalId)) return;
  throw new UserError(
    `${deployment.logicalId} (${deployment.type}): DependsOn lacks ${resource.logicalId}, so AWS may deploy the API without it`,
  );
}

function readApi(api: Properties): Pick<RestApiModel, 'binaryMediaTypes' | 'note'> {
  api.only(
    'Name',
    'Description',
    'Tags',
    'FailOnWarnings',
    'ApiKeySourceType',
    'BinaryMediaTypes',
    'EndpointConfiguration',
    'DisableExecuteApiEndpoint',
    'Policy',
  );
  api.mustBeOff('DisableExecuteApiEndpoint');
  const endpoint = api.object('EndpointConfiguration')?.only('Types', 'IpAddressType');
  // The default of CloudFormation, and so of `new RestApi()`.
  const types = endpoint?.strings('Types').join() || 'EDGE';
  if (types !== 'REGIONAL' && types !== 'EDGE') {
    api.refuse(`${types} is not emulated: REGIONAL and EDGE are`, 'EndpointConfiguration.Types');
  }
  return {
    // CloudFormation accepts `~1` for the slash.
    binaryMediaTypes: api
      .strings('BinaryMediaTypes')
      .map((type) => type.replace('~1', '/').toLowerCase()),
    ...(types === 'EDGE' && {
      note: `${api.resource.logicalId} is a REST API of type EDGE, which runs as REGIONAL here`,
    }),
  };
}

function readStage(stage: Properties, deployment: ResolvedResource) {
  stage.only(
    'RestApiId',
    'DeploymentId',
    'StageName',
    'Description',
    'Tags',
    'Variables',
    'MethodSettings',
    'TracingEnabled',
    'AccessLogSetting',
    'CacheClusterEnabled',
  );
  stage.mustBeOff('CacheClusterEnabled');
  if (stage.string('DeploymentId') !== deployment.physicalId) {
    stage.refuse(`names another deployment than ${deployment.logicalId}`, 'DeploymentId');
  }
  for (const setting of stage.objects('MethodSettings')) {
    setting
      .only(
        'HttpMethod',
        'ResourcePath',
        'LoggingLevel',
        'DataTraceEnabled',
        'MetricsEnabled',
        'ThrottlingBurstLimit',
        'ThrottlingRateLimit',
        'CachingEnabled',
      )
      .mustBeOff('CachingEnabled');
  }
  const variables = stage.stringMap('Variables') ?? null;
  for (const [name, value] of Object.entries(variables ?? {})) {
    if (value.length > QUOTAS.stageVariableLength) {
      stage.refuse(`is longer than ${QUOTAS.stageVariableLength} characters`, `Variables.${name}`);
    }
  }
  const name = stage.string('StageName');
  if (!/^\w{1,128}$/.test(name)) stage.refuse('may hold only letters, digits and _', 'StageName');
  const accessLogFormat = stage
    .object('AccessLogSetting')
    ?.only('DestinationArn', 'Format')
    .string('Format');
  return {
    stage: name,
    stageVariables: variables,
    ...(accessLogFormat !== undefined && { accessLogFormat }),
  };
}
