/** Methods without the token authorizer: the administration and the dashboard. */
import { Validations } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';

const ADMINISTRATION = '/admin/v1/{proxy+}';

/** The page of the dashboard, its assets, and the description of the interface. */
const SITE = ['/', '/assets/{file}', '/openapi.json'] as const;

/**
 * Requests of people carry access tokens of the issuer, not API keys. `admin` verifies them itself,
 * so that a refusal has the service's own error format.
 */
export function addAdministration(
  restApi: apigateway.RestApi,
  admin: apigateway.Integration,
): void {
  const proxy = restApi.root.resourceForPath(ADMINISTRATION);
  acknowledgePublic(
    proxy.addMethod('ANY', admin, { authorizationType: apigateway.AuthorizationType.NONE }),
    'Requests reach the function unauthenticated. It verifies the signed token of each, except for the public configuration. The risk is the cost of refusing a flood, which the throttle of these methods bounds.',
  );
}

/** The page holds no data: it requests what it shows with the key of the person who signed in. */
export function addSite(restApi: apigateway.RestApi, site: apigateway.Integration): void {
  for (const path of SITE) {
    const resource = restApi.root.resourceForPath(path);
    for (const method of ['GET', 'HEAD']) {
      acknowledgePublic(
        resource.addMethod(method, site, {
          authorizationType: apigateway.AuthorizationType.NONE,
        }),
        'The files of the dashboard are the same for every user, and are needed before sign-in. The risk is the cost of a flood, which the throttle of these methods bounds.',
      );
    }
  }
}

function acknowledgePublic(method: apigateway.Method, reason: string): void {
  Validations.of(method).acknowledge({ id: 'AwsSolutions-APIG4', reason });
}

/**
 * Throttles of the public methods, for all people together, at most those of the whole API. The
 * settings of a stage do not accept ANY, so each method is listed.
 */
export function throttlePublicMethods(
  rate: number,
  burst: number,
): Record<string, apigateway.MethodDeploymentOptions> {
  const options: apigateway.MethodDeploymentOptions = {
    throttlingRateLimit: Math.min(rate, 50),
    throttlingBurstLimit: Math.min(burst, 100),
    loggingLevel: apigateway.MethodLoggingLevel.ERROR,
    dataTraceEnabled: false,
    metricsEnabled: false,
  };
  const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
  return Object.fromEntries([
    ...methods.map((method) => [`${ADMINISTRATION}/${method}`, options]),
    ...SITE.flatMap((path) => ['GET', 'HEAD'].map((method) => [`${path}/${method}`, options])),
  ]);
}
