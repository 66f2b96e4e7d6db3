import { Aws, CfnCondition, Fn, Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** The region of CloudFront's certificates, web ACLs and metrics. */
export const CLOUDFRONT_REGION = 'us-east-1';

/**
 * Whether the construct's stack is in that region. A stack without a region can be deployed
 * anywhere, so it has a condition of CloudFormation.
 */
export function isInCloudFrontRegion(scope: Construct): boolean | CfnCondition {
  const { region } = Stack.of(scope);
  if (!Token.isUnresolved(region)) return region === CLOUDFRONT_REGION;
  const found = scope.node.tryFindChild('IsInCloudFrontRegion');
  if (found instanceof CfnCondition) return found;
  return new CfnCondition(scope, 'IsInCloudFrontRegion', {
    expression: Fn.conditionEquals(Aws.REGION, CLOUDFRONT_REGION),
  });
}
