/**
 * Authenticates an API key. API Gateway caches the policy per token for 300 s and evaluates it for
 * every later request, so it allows the whole stage. The functions check the key's permissions:
 * they are in the context, and are read again after a change of the key.
 */
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import type { ApiKeys } from '../../core/access/ports';
import { TemporaryKeySecret } from '../../core/access/temporary-keys';
import type { ServiceState } from '../../core/service-state';
import type { Clock, Log } from '../../core/system';
import { claimIn } from '../../service/authentication';
import { contextOf } from '../runtime/rest-event';

export interface AuthorizerDeps {
  readonly apiKeys: ApiKeys;
  /** Holds the secret of temporary keys. */
  readonly serviceState: Pick<ServiceState, 'load' | 'once'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: { readonly fatal: Log['error'] };
}

/** For an error with exactly this message API Gateway returns 401, for any other 500. */
class Unauthorized extends Error {
  constructor() {
    super('Unauthorized');
  }
}

/**
 * AWS calls: those of `claimIn`. Lambda would log each refused key as an error with its stack,
 * as many as anybody makes up, so the function's log shows what is fatal only.
 */
export function createAuthorizer(deps: AuthorizerDeps) {
  const authorize = createUnlogged(deps);
  return async (event: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    try {
      return await authorize(event);
    } catch (error) {
      if (!(error instanceof Unauthorized)) deps.log.fatal('authorizer_failed', { error });
      throw error;
    }
  };
}

function createUnlogged(deps: AuthorizerDeps) {
  const secret = new TemporaryKeySecret(deps.serviceState, deps.clock);
  return async (event: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const claim = await claimIn(
      { apiKeys: deps.apiKeys, clock: deps.clock, secret },
      event.authorizationToken,
    );
    if (claim === undefined) throw new Unauthorized();
    return {
      principalId: claim.keyId,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: wholeStage(event.methodArn) },
        ],
      },
      context: contextOf(claim),
    };
  };
}

/** `arn:…:{api}/{stage}/{method}/{path}` -> `arn:…:{api}/{stage}/*` */
function wholeStage(methodArn: string): string {
  return `${methodArn.split('/').slice(0, 2).join('/')}/*`;
}
