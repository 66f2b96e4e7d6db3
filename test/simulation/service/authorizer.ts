/**
 * API Gateway's side of the authorizer: it invokes the function for a token that it does not know,
 * and applies what the function returned for the next five minutes. An `Unauthorized` is not kept
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/configure-api-gateway-lambda-authorization-with-console.html).
 */
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import type { LambdaFunction } from './lambda-function';
import type { Simulation } from './simulation';

/** As in lib/gateway/rest-api.ts. */
const CACHE_MS = 5 * 60_000;

export type AuthorizerFunction = LambdaFunction<
  APIGatewayTokenAuthorizerEvent,
  APIGatewayAuthorizerResult
>;

/** The context of a request, or the status with which the gateway refuses it. */
export type Decision =
  | { readonly context: APIGatewayAuthorizerResult['context'] }
  | { readonly status: 401 | 500 };

type Context = Extract<Decision, { context: unknown }>;

export class GatewayAuthorizer {
  private readonly cache = new Map<string, Context & { readonly until: number }>();

  constructor(
    private readonly simulation: Simulation,
    private readonly authorizer: AuthorizerFunction,
  ) {}

  authorize(authorizationToken: string, done: (decision: Decision) => void): void {
    const { time } = this.simulation;
    const cached = this.cache.get(authorizationToken);
    if (cached && cached.until > time.now) {
      done(cached);
      return;
    }
    const methodArn = 'arn:aws:execute-api:eu-west-1:000000000000:api/v1/GET/any';
    const event = { type: 'TOKEN', methodArn, authorizationToken } as const;
    this.authorizer.invoke(event, (outcome) => {
      if ('result' in outcome) {
        const { context } = outcome.result;
        this.cache.set(authorizationToken, { context, until: time.now + CACHE_MS });
        done({ context });
        return;
      }
      const { error } = outcome;
      const isRefused = error instanceof Error && error.message === 'Unauthorized';
      done({ status: isRefused ? 401 : 500 });
    });
  }
}
