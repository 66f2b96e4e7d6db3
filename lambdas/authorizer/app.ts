/**
 * Judges an API key. API Gateway caches the policy per token for 300 s and evaluates it against
 * every later request, so it covers the whole stage; what the key may do is decided by the
 * functions, from the context, as long as nothing marks the key as changed since.
 */
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { authenticate, bearerToken } from '../../core/access/authentication';
import type { ApiKeys } from '../../core/access/ports';
import { claimOf } from '../../core/access/rate-limiter';
import type { Clock, Log } from '../../core/system';
import { contextOf } from '../shared/http/authorizer-context';

export interface AuthorizerDeps {
  readonly apiKeys: ApiKeys;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** API Gateway answers 401 for an error with exactly this message, and 500 for any other. */
class Unauthorized extends Error {
  constructor() {
    super('Unauthorized');
  }
}

/** AWS calls: 1 GetItem; none when the token is no key at all. */
export function createAuthorizer(deps: AuthorizerDeps) {
  return async (event: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const token = bearerToken(event.authorizationToken);
    const readAt = deps.clock.now();
    const found = await authenticate(deps.apiKeys, token, readAt);
    const { key } = found;
    if (!key) {
      if ('id' in found) deps.log.info('key_refused', { keyId: found.id });
      throw new Unauthorized();
    }
    return {
      principalId: key.id,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: wholeStage(event.methodArn) },
        ],
      },
      context: contextOf(claimOf(key, found.generation, readAt)),
    };
  };
}

/** `arn:…:{api}/{stage}/{method}/{path}` -> `arn:…:{api}/{stage}/*` */
function wholeStage(methodArn: string): string {
  return `${methodArn.split('/').slice(0, 2).join('/')}/*`;
}
