/** Reads AWS::ApiGateway::Authorizer of type TOKEN and REQUEST. */
import type { ResolvedStack } from '../../../template/model';
import type { Properties } from '../../../template/properties';
import { QUOTAS } from '../limits/limits';
import { readInvocation } from './invocation-uri';

export type IdentitySource =
  | { readonly from: 'header' | 'querystring' | 'stageVariables'; readonly name: string }
  | { readonly from: 'context'; readonly path: readonly string[] };

export interface AuthorizerModel {
  readonly id: string;
  readonly type: 'TOKEN' | 'REQUEST';
  readonly functionArn: string;
  readonly identitySources: readonly IdentitySource[];
  /** TOKEN only. The whole token must match. */
  readonly validation?: RegExp;
  /** 0: results are not cached. */
  readonly ttlSeconds: number;
  /** Whether the function's policy permits API Gateway to invoke it. */
  readonly permitted: boolean;
}

export function readAuthorizer(
  properties: Properties,
  stack: ResolvedStack,
  mayInvoke: (functionArn: string) => boolean,
): AuthorizerModel {
  properties.only(
    'RestApiId',
    'Name',
    'Type',
    'AuthType',
    'AuthorizerUri',
    'IdentitySource',
    'IdentityValidationExpression',
    'AuthorizerResultTtlInSeconds',
  );
  const type = properties.string('Type');
  if (type !== 'TOKEN' && type !== 'REQUEST') {
    return properties.refuse(`${type} is not emulated: only TOKEN and REQUEST are`, 'Type');
  }
  const { functionArn, streaming } = readInvocation(properties, 'AuthorizerUri', stack);
  if (streaming) properties.refuse('an authorizer cannot stream', 'AuthorizerUri');
  const ttlSeconds = properties.number('AuthorizerResultTtlInSeconds', 300);
  if (ttlSeconds < 0 || ttlSeconds > QUOTAS.authorizerTtlSeconds) {
    properties.refuse(
      `must be 0 to ${QUOTAS.authorizerTtlSeconds}`,
      'AuthorizerResultTtlInSeconds',
    );
  }
  const validation = readValidation(properties, type);
  return {
    id: properties.resource.physicalId,
    type,
    functionArn,
    identitySources: readIdentitySources(properties, type, ttlSeconds),
    ...(validation && { validation }),
    ttlSeconds,
    permitted: mayInvoke(functionArn),
  };
}

function readIdentitySources(
  properties: Properties,
  type: 'TOKEN' | 'REQUEST',
  ttlSeconds: number,
): readonly IdentitySource[] {
  const text = properties.optionalString('IdentitySource') ?? '';
  const sources = text
    .split(',')
    .map((source) => source.trim())
    .filter((source) => source !== '')
    .map((source) => {
      const parsed = parseIdentitySource(source);
      return parsed ?? properties.refuse(`is not an identity source: ${source}`, 'IdentitySource');
    });
  if (type === 'TOKEN' && (sources.length !== 1 || sources[0]?.from !== 'header')) {
    properties.refuse('of a TOKEN authorizer must be one header', 'IdentitySource');
  }
  if (type === 'REQUEST' && ttlSeconds > 0 && sources.length === 0) {
    properties.refuse('is needed when results are cached', 'IdentitySource');
  }
  return sources;
}

function parseIdentitySource(source: string): IdentitySource | undefined {
  const [, request, place, name] =
    /^(?:(method\.request\.(header|querystring)|stageVariables|context)\.)([\w.!#$%&'*+^`|~-]+)$/.exec(
      source,
    ) ?? [];
  if (request === undefined || name === undefined) return undefined;
  if (request === 'context') return { from: 'context', path: name.split('.') };
  if (request === 'stageVariables') return { from: 'stageVariables', name };
  return place === 'header'
    ? { from: 'header', name: name.toLowerCase() }
    : { from: 'querystring', name };
}

/**
 * AWS documents only "if there is a match". The emulator requires the whole token to match, which
 * is the stricter reading. AWS evaluates a Java expression, the emulator a JavaScript one.
 */
function readValidation(properties: Properties, type: 'TOKEN' | 'REQUEST'): RegExp | undefined {
  const expression = properties.optionalString('IdentityValidationExpression');
  if (expression === undefined || expression === '') return undefined;
  if (type === 'REQUEST') properties.refuse('is for TOKEN only', 'IdentityValidationExpression');
  try {
    return new RegExp(`^(?:${expression})$`, 'u');
  } catch {
    return properties.refuse('is not a regular expression', 'IdentityValidationExpression');
  }
}
