/** Headers that CloudFront adds to every response of an origin. */
import { Aws, Duration, Stack } from 'aws-cdk-lib';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';
import { UNTRUSTED_CONTENT_HEADERS } from '../../core/http/inert';

/** Seconds that a browser may keep the answer to a preflight: the maximum of Chromium. */
export const PREFLIGHT_SECONDS = 7200;

/** Methods of the interface. */
export const CORS_METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE'] as const;

/**
 * Creates the policy. Pages of `origins` may read the response; no cookie is involved, so
 * credentials stay off. Content-Security-Policy does not override that of a response: the dashboard
 * and objects have their own.
 */
export function responseHeaders(
  scope: Construct,
  id: string,
  origins: readonly string[] = [],
): cloudfront.ResponseHeadersPolicy {
  const kind = origins.length > 0 ? '-cors' : '';
  return new cloudfront.ResponseHeadersPolicy(scope, id, {
    // CloudFront's names are global, and the same stack may exist in two regions.
    responseHeadersPolicyName: `stowage-${scope.node.addr.slice(-8)}-${Stack.of(scope).stackName}-${Aws.REGION}${kind}`,
    ...(origins.length > 0 && { corsBehavior: corsOf(origins) }),
    securityHeadersBehavior: {
      contentSecurityPolicy: {
        contentSecurityPolicy: UNTRUSTED_CONTENT_HEADERS['Content-Security-Policy'],
        override: false,
      },
      contentTypeOptions: { override: true },
      frameOptions: { frameOption: cloudfront.HeadersFrameOption.DENY, override: true },
      referrerPolicy: {
        referrerPolicy: cloudfront.HeadersReferrerPolicy.NO_REFERRER,
        override: true,
      },
      strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override: true },
    },
  });
}

/** The viewer function answers preflights with the same values. */
function corsOf(origins: readonly string[]): cloudfront.ResponseHeadersCorsBehavior {
  return {
    accessControlAllowCredentials: false,
    accessControlAllowOrigins: origins.includes('*') ? ['*'] : [...origins],
    accessControlAllowMethods: [...CORS_METHODS],
    accessControlAllowHeaders: ['*'],
    // Metadata have headers of any name.
    accessControlExposeHeaders: ['*'],
    // If CloudFront added these to the function's answers too, its own must win.
    originOverride: false,
  };
}
