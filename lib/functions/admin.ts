import type { Construct } from 'constructs';
import { ENV } from '../../lambdas/runtime/env';
import type { OidcIssuer } from '../access/sign-in';
import { limitVariables, metricsVariables, responseVariables, type Variables } from './environment';
import { type FunctionsProps, forRequests } from './functions-props';
import { packageVersion, ServiceFunction } from './service-function';

/** Serves the administration of API keys. Invoked by the REST API: gateway/rest-api.ts. */
export function createAdminFunction(scope: Construct, props: FunctionsProps): ServiceFunction {
  const { tables } = props;
  const admin = new ServiceFunction(scope, 'Admin', {
    ...forRequests(props),
    bundle: 'admin',
    description: 'Lets people who have signed in administer API keys',
    timeout: props.apiTimeout,
    reserved: props.reservedConcurrency?.admin,
    environment: {
      ...limitVariables(scope, props),
      [ENV.auditTable]: tables.audit.tableName,
      [ENV.bucketsTable]: tables.buckets.tableName,
      ...responseVariables(props),
      ...metricsVariables(props.reporting),
      [ENV.syncUrl]: props.syncUrl,
      ...oidcVariables(props.oidc),
      [ENV.serviceVersion]: packageVersion(),
    },
  });
  tables.grantManageKeys(admin);
  tables.grantMarkKeyChanged(admin);
  tables.grantReadUsage(admin);
  return admin;
}

function oidcVariables(oidc: OidcIssuer): Variables {
  const { jwksUri, audience, signOutUrl } = oidc;
  return {
    [ENV.oidcIssuer]: oidc.issuer,
    [ENV.oidcClientId]: oidc.clientId,
    [ENV.oidcScopes]: (oidc.scopes ?? ['openid', 'email']).join(' '),
    [ENV.adminClaim]: oidc.claim,
    [ENV.adminClaimValue]: oidc.value,
    ...(jwksUri !== undefined && { [ENV.oidcJwksUri]: jwksUri }),
    ...(audience !== undefined && { [ENV.oidcAudience]: audience }),
    ...(signOutUrl !== undefined && { [ENV.signOutUrl]: signOutUrl }),
  };
}
