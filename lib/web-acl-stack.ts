import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { CLOUDFRONT_REGION } from './gateway/cloudfront-region';
import { createWebAcl } from './gateway/web-acl';

/** Settings of the stack. */
export interface WebAclStackProps extends Omit<StackProps, 'env'> {
  /**
   * The account of the service.
   *
   * @default - that of the credentials
   */
  readonly account?: string;

  /**
   * Requests that one IP address may send within five minutes.
   *
   * @default 100_000
   */
  readonly requestsPerFiveMinutes?: number;

  /**
   * Those of the service, if it has some: their pages can read a refusal.
   *
   * @default - none
   */
  readonly allowedOrigins?: readonly string[];
}

/**
 * The web ACL of a service whose stack is in another region: web ACLs of CloudFront exist in
 * us-east-1 only. Deploy this stack first, and set `edge.webAclArn` to its output `WebAclArn`.
 */
export class WebAclStack extends Stack {
  constructor(scope: Construct, id: string, props: WebAclStackProps = {}) {
    const { account, requestsPerFiveMinutes, allowedOrigins = [], ...rest } = props;
    super(scope, id, { ...rest, env: { account, region: CLOUDFRONT_REGION } });
    const webAcl = createWebAcl(this, requestsPerFiveMinutes, allowedOrigins.length > 0);
    new CfnOutput(this, 'WebAclArn', {
      value: webAcl.attrArn,
      description: 'The setting webAclArn of edge',
    });
  }
}
