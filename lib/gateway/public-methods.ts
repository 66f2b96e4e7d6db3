/** Methods without the token authorizer: the administration, links and the dashboard. */
import { Validations } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import { ADMIN_METHODS } from '../../service/administration/routes';
import { LINK_PATH } from '../../service/routes/routes';

/**
 * A throttle belongs to a method of a resource, so revocation has a resource of its own: a flood of
 * other paths cannot use up its requests. Its parents have a method each, because API Gateway does
 * not document that a request falls back to a greedy sibling of a resource without methods.
 */
const REVOKE = '/admin/v1/keys/{id}/revoke';

const ADMINISTRATION = [
  '/admin/v1/{proxy+}',
  '/admin/v1/keys',
  '/admin/v1/keys/{id}',
  '/admin/v1/keys/{id}/{proxy+}',
  REVOKE,
] as const;

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
  for (const path of ADMINISTRATION) {
    const resource = restApi.root.resourceForPath(path);
    acknowledgePublic(
      resource.addMethod('ANY', admin, { authorizationType: apigateway.AuthorizationType.NONE }),
      'Requests reach the function unauthenticated. It verifies the signed token of each, except for the public configuration. The risk is the cost of refusing a flood, which the throttle of these methods bounds.',
    );
  }
}

const LINK = `${LINK_PATH}{id}`;
const LINK_METHODS = ['GET', 'HEAD', 'POST'] as const;

/** A link is opened by people and programs without an API key: its secret is the credential. */
export function addLinks(restApi: apigateway.RestApi, download: apigateway.Integration): void {
  const resource = restApi.root.resourceForPath(LINK);
  for (const method of LINK_METHODS) {
    acknowledgePublic(
      resource.addMethod(method, download, {
        authorizationType: apigateway.AuthorizationType.NONE,
      }),
      'The secret of a link has 131 random bits and is the credential. One that was made up is refused by its hash, before any table is read. The risk is the cost of a flood, which the throttle of these methods and the web ACL bound.',
    );
  }
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

/** Methods of the administration's interface, and those that it only refuses. */
const SERVED: readonly string[] = [...new Set(Object.values(ADMIN_METHODS).flat())];
const REFUSED = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'].filter(
  (method) => !SERVED.includes(method),
);

/**
 * Throttles of the public methods, each for all people together, at most those of the whole API.
 * The settings of a stage do not accept ANY, so each method is listed.
 */
export function throttlePublicMethods(
  rate: number,
  burst: number,
): Record<string, apigateway.MethodDeploymentOptions> {
  const options = (mostRate: number, mostBurst: number): apigateway.MethodDeploymentOptions => ({
    throttlingRateLimit: Math.min(rate, mostRate),
    throttlingBurstLimit: Math.min(burst, mostBurst),
    loggingLevel: apigateway.MethodLoggingLevel.ERROR,
    dataTraceEnabled: false,
    metricsEnabled: false,
  });
  const served = options(50, 100);
  // A link that many people get is opened by many of them at once.
  const opened = options(200, 400);
  // They reach the function only to be refused.
  const refused = options(5, 10);
  return Object.fromEntries([
    ...ADMINISTRATION.flatMap((path) => {
      const usual = path === REVOKE ? ['POST'] : SERVED;
      const others = [...SERVED, ...REFUSED].filter((method) => !usual.includes(method));
      return [
        ...usual.map((method) => [`${path}/${method}`, served]),
        ...others.map((method) => [`${path}/${method}`, refused]),
      ];
    }),
    ...LINK_METHODS.map((method) => [`${LINK}/${method}`, opened]),
    ...SITE.flatMap((path) => ['GET', 'HEAD'].map((method) => [`${path}/${method}`, served])),
  ]);
}
