/**
 * Judges an API key. API Gateway caches the policy per token for 300 s and evaluates it against every later request,
 * so it covers the whole stage; what the key may do is decided by the functions, from the context.
 */
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { parseApiKey, secretMatches } from '../../core/api-key';
import type { ApiKeys, Clock, Log } from '../../core/ports';

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

/** Compared when there is no such key, so that a guess takes as long whether or not its id exists. */
const NO_HASH = '0'.repeat(64);

/** AWS calls: 1 GetItem; none when the token is no key at all. */
export function createAuthorizer(deps: AuthorizerDeps) {
  return async (event: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const [, token] = /^Bearer (\S+)$/i.exec(event.authorizationToken) ?? [];
    const key = token === undefined ? undefined : parseApiKey(token);
    if (!key) throw new Unauthorized();
    const record = await deps.apiKeys.get(key.id);
    const matches = secretMatches(key.secret, record?.secretHash ?? NO_HASH);
    const expired =
      record?.expiresAt !== undefined && Date.parse(record.expiresAt) <= deps.clock.now();
    if (!record || !matches || record.revokedAt !== undefined || expired) {
      deps.log.info('key_refused', { keyId: key.id });
      throw new Unauthorized();
    }
    return {
      principalId: record.id,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: wholeStage(event.methodArn) },
        ],
      },
      context: {
        keyId: record.id,
        permissions: JSON.stringify(record.permissions),
        ...(record.expiresAt !== undefined && { expiresAt: record.expiresAt }),
      },
    };
  };
}

/** `arn:…:{api}/{stage}/{method}/{path}` -> `arn:…:{api}/{stage}/*` */
function wholeStage(methodArn: string): string {
  return `${methodArn.split('/').slice(0, 2).join('/')}/*`;
}
