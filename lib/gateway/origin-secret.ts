import { Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { EdgeOptions } from './edge-options';

/**
 * The header with which the distribution shows its secret. Of the headers that a client could send,
 * a resource policy of API Gateway sees only this one and User-Agent, which functions log.
 * CloudFront replaces the client's own.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-resource-policies-aws-condition-keys.html
 */
export const ORIGIN_SECRET_HEADER = 'Referer';

/**
 * The secret by which both APIs recognize the distribution: the distribution sends it, and the APIs
 * accept it. In a rotation they accept the next one too. The deployment that then raises the
 * version first changes what is sent, then what is accepted, so it refuses no request. Secrets
 * Manager generates the secrets; the template has references only.
 */
export class OriginSecret extends Construct {
  /** The secret that the distribution sends. */
  public readonly sent: string;
  /** The secrets that the APIs accept. */
  public readonly accepted: readonly string[];

  /** @internal */
  constructor(scope: Construct, id: string, options: EdgeOptions = {}) {
    super(scope, id);
    const { originSecretVersion: version = 1, acceptNextOriginSecret: next = false } = options;
    this.sent = this.secret(version);
    this.accepted = [this.sent, ...(next ? [this.secret(version + 1)] : [])];
  }

  private secret(version: number): string {
    const secret = new secretsmanager.Secret(this, `Version${version}`, {
      description: 'stowage: what the distribution shows to both APIs',
      generateSecretString: { passwordLength: 43, excludePunctuation: true },
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'A deployment rotates it, because the configuration of the distribution and of both APIs holds it: edge.originSecretVersion. With it a stranger gets past the web ACL, not past the API keys.',
    });
    // Visible to those who may read the configuration of the distribution, as the value itself is.
    return secret.secretValue.unsafeUnwrap();
  }
}

/**
 * The resource policy of the REST API. API Gateway evaluates a Deny before the authorizer, so that
 * a request past the distribution invokes no function. Without secrets it allows every request,
 * explicitly: CloudFormation keeps the policy of an API when the property is removed.
 */
export function originPolicy(accepted: readonly string[] | undefined): iam.PolicyDocument {
  const everyRequest = {
    principals: [new iam.AnyPrincipal()],
    actions: ['execute-api:Invoke'],
    resources: ['execute-api:/*'],
  };
  const allow = new iam.PolicyStatement(everyRequest);
  if (accepted === undefined) return new iam.PolicyDocument({ statements: [allow] });
  const deny = new iam.PolicyStatement({
    ...everyRequest,
    effect: iam.Effect.DENY,
    conditions: { StringNotEquals: { 'aws:Referer': [...accepted] } },
  });
  return new iam.PolicyDocument({ statements: [allow, deny] });
}
