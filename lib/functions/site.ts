import { Duration, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ENV } from '../../lambdas/runtime/env';
import type { OidcIssuer } from '../access/sign-in';
import { responseVariables } from './environment';
import { type FunctionsProps, forRequests } from './functions-props';
import { ServiceFunction } from './service-function';

/** Serves the files of the dashboard. Invoked by the REST API; it may use no store at all. */
export function createSiteFunction(scope: Construct, props: FunctionsProps): ServiceFunction {
  const store = `https://${props.content.bucket.bucketRegionalDomainName}`;
  return new ServiceFunction(scope, 'Site', {
    ...forRequests(props),
    bundle: 'site',
    description: 'Serves the files of the dashboard',
    timeout: Duration.seconds(10),
    environment: {
      ...responseVariables(props),
      [ENV.siteConnectsTo]: Stack.of(scope).toJsonString([
        store,
        props.syncUrl,
        ...signInOrigins(props.oidc),
      ]),
      [ENV.siteShows]: Stack.of(scope).toJsonString([store]),
    },
  });
}

/** The addresses that the dashboard calls while an administrator signs in. */
function signInOrigins({ issuer, signOutUrl, origins }: OidcIssuer): readonly string[] {
  return [issuer, ...(origins ?? (signOutUrl === undefined ? [] : [signOutUrl]))];
}
