/** Invokes a Lambda authorizer and caches its results. */

import { isRecord } from '../../../values/json';
import type { InvokeResult, Invoker } from '../../lambda/invoker';
import { GatewayError } from '../gateway-responses/gateway-responses';
import { lookUp } from '../gateway-responses/variables';
import { within } from '../limits/deadline';
import type { Bounds } from '../limits/limits';
import type { AuthorizerModel, IdentitySource } from '../model/authorizer-model';
import {
  type AuthorizerContext,
  type EventParts,
  requestAuthorizerEvent,
  tokenAuthorizerEvent,
} from '../request/event';
import { type Fields, headerValue } from '../request/headers';
import { decideFor, type Grant, parseGrant } from './authorizer-result';

export interface Authorizer {
  /** Throws GatewayError (401, 403 or 500) when the request is not authorized. */
  authorize(request: AuthorizerRequest): Promise<AuthorizerContext>;
  /** Clears the cache, as FlushStageAuthorizersCache does. Results in progress are not cached. */
  flush(): void;
}

export interface AuthorizerRequest {
  readonly methodArn: string;
  readonly fields: Fields;
  readonly parts: EventParts;
}

interface Dependencies {
  readonly invoker: Invoker;
  readonly now: () => number;
  readonly bounds: Bounds;
}

interface Cached {
  readonly grant: Grant;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

export function createAuthorizer(model: AuthorizerModel, deps: Dependencies): Authorizer {
  let cache = new Map<string, Cached>();

  const save = (into: Map<string, Cached>, key: string, grant: Grant) => {
    // The oldest result is removed first. `flush` replaces the map, so a result whose invocation
    // began before the flush is saved in a map that is no longer used.
    if (into.size >= deps.bounds.cachedGrants) into.delete(into.keys().next().value ?? '');
    into.set(key, { grant, expires: deps.now() + model.ttlSeconds * 1000 });
  };

  return {
    authorize: async (request) => {
      const values = identityValues(model, request);
      const key = model.ttlSeconds > 0 ? cacheKey(values) : undefined;
      const cached = key === undefined ? undefined : cache.get(key);
      if (cached !== undefined && cached.expires > deps.now()) {
        return admit(cached.grant, request.methodArn, 0);
      }
      const cacheAtStart = cache;
      const started = performance.now();
      const grant = await invoke(model, deps, request, values[0] ?? '');
      if (key !== undefined) save(cacheAtStart, key, grant);
      return admit(grant, request.methodArn, Math.round(performance.now() - started));
    },
    flush: () => {
      cache = new Map();
    },
  };
}

/** A single value needs no quoting. */
function cacheKey(values: readonly string[]): string {
  return values.length === 1 ? (values[0] ?? '') : JSON.stringify(values);
}

/** Throws 401, without an invocation, when an identity source is missing or malformed. */
function identityValues(model: AuthorizerModel, request: AuthorizerRequest): readonly string[] {
  const values = model.identitySources.map((source) => identityValue(source, request) ?? '');
  // The sources of a REQUEST authorizer are optional when results are not cached.
  const required = model.type === 'TOKEN' || model.ttlSeconds > 0;
  if (required && values.includes('')) throw unauthorized('identity source is missing');
  if (model.type === 'TOKEN' && isRepeated(model, request.fields)) {
    throw unauthorized('identity source occurs twice');
  }
  if (model.validation && !model.validation.test(values[0] ?? '')) {
    throw unauthorized('token does not match the validation expression');
  }
  return values;
}

/** AWS does not document which of two tokens it uses, so the emulator refuses both. */
function isRepeated(model: AuthorizerModel, fields: Fields): boolean {
  const [source] = model.identitySources;
  return source?.from === 'header' && (fields.get(source.name)?.values.length ?? 0) > 1;
}

function identityValue(source: IdentitySource, request: AuthorizerRequest): string | undefined {
  const { parts, fields } = request;
  switch (source.from) {
    case 'header':
      return headerValue(fields, source.name);
    case 'querystring':
      return parts.query.single?.[source.name];
    case 'stageVariables':
      return parts.stageVariables?.[source.name];
    case 'context': {
      const value = lookUp(parts.context, source.path);
      return typeof value === 'string' ? value : undefined;
    }
  }
}

async function invoke(
  model: AuthorizerModel,
  { invoker, bounds }: Dependencies,
  { methodArn, parts }: AuthorizerRequest,
  token: string,
): Promise<Grant> {
  if (!model.permitted) {
    throw misconfigured(`no AWS::Lambda::Permission lets API Gateway invoke ${model.functionArn}`);
  }
  const event =
    model.type === 'TOKEN'
      ? tokenAuthorizerEvent(token, methodArn)
      : requestAuthorizerEvent(parts, methodArn);
  let result: InvokeResult;
  try {
    result = await within(invoker.invoke(model.functionArn, event), bounds.authorizerMs);
  } catch (error) {
    throw failed(error instanceof Error ? error.message : String(error));
  }
  if (result.functionError !== undefined) {
    if (errorMessage(result.payload) === 'Unauthorized')
      throw unauthorized('the authorizer refused');
    throw failed(`the authorizer failed: ${result.payload}`);
  }
  return parseGrant(result.payload) ?? refuseOutput(result.payload);
}

function errorMessage(payload: string): unknown {
  try {
    const error: unknown = JSON.parse(payload);
    return isRecord(error) ? error.errorMessage : undefined;
  } catch {
    return undefined;
  }
}

function admit(grant: Grant, methodArn: string, integrationLatency: number): AuthorizerContext {
  const decision = decideFor(grant, methodArn);
  if (decision === 'allow') {
    return { ...grant.context, principalId: grant.principalId, integrationLatency };
  }
  const suffix = decision === 'explicit deny' ? ' with an explicit deny' : '';
  throw new GatewayError(
    'ACCESS_DENIED',
    `User is not authorized to access this resource${suffix}`,
  );
}

function unauthorized(reason: string): GatewayError {
  return new GatewayError('UNAUTHORIZED', 'Unauthorized', undefined, reason);
}

function failed(reason: string): GatewayError {
  return new GatewayError('AUTHORIZER_FAILURE', null, undefined, reason);
}

function misconfigured(reason: string): GatewayError {
  return new GatewayError('AUTHORIZER_CONFIGURATION_ERROR', null, undefined, reason);
}

function refuseOutput(payload: string): never {
  throw misconfigured(`the authorizer's output cannot be used: ${payload}`);
}
