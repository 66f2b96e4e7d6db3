import { ArnFormat, Aws, Stack, Token } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** Services that use a key on behalf of their caller. */
type Store = 'dynamodb' | 's3' | 'sqs';

/**
 * Allows using the key through that store only; does nothing without a key. The statement is in the
 * grantee's policy, so the key policy must delegate to IAM of the account, as those of the CDK and
 * of the console do.
 */
export function grantKey(
  grantee: iam.IGrantable,
  key: kms.IKey | undefined,
  store: Store,
  ...actions: string[]
): void {
  if (key === undefined) return;
  iam.Grant.addToPrincipal({
    grantee,
    actions: actions.map((action) => `kms:${action}`),
    resourceArns: [key.keyArn],
    // https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html#conditions-kms-via-service
    conditions: {
      StringEquals: { 'kms:ViaService': `${store}.${Aws.REGION}.${Aws.URL_SUFFIX}` },
    },
  });
}

/**
 * Allows CloudWatch Logs to use the key of a service. Throws an Error for a key in another region.
 *
 * CloudWatch Logs requires a statement in the key policy. The CDK cannot change the policy of an
 * imported key: its owner adds the statement (docs/construct.md).
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
 */
export function useKey(scope: Construct, key: kms.IKey): void {
  const stack = Stack.of(scope);
  checkRegion(key.env.region, stack.region);
  key.addToResourcePolicy(
    new iam.PolicyStatement({
      principals: [new iam.ServicePrincipal(`logs.${Aws.REGION}.${Aws.URL_SUFFIX}`)],
      actions: [
        'kms:Encrypt',
        'kms:Decrypt',
        'kms:ReEncryptFrom',
        'kms:ReEncryptTo',
        'kms:GenerateDataKey',
        'kms:DescribeKey',
      ],
      resources: ['*'],
      conditions: {
        ArnLike: {
          // CloudFormation's generated names begin with the name of the stack. API Gateway decides
          // the name of the group of its execution logs.
          'kms:EncryptionContext:aws:logs:arn': [
            `${stack.stackName}-*`,
            'API-Gateway-Execution-Logs_*',
          ].map((resourceName) =>
            stack.formatArn({
              service: 'logs',
              resource: 'log-group',
              resourceName,
              arnFormat: ArnFormat.COLON_RESOURCE_NAME,
            }),
          ),
        },
      },
    }),
  );
}

function checkRegion(ofKey: string, ofStack: string): void {
  if (Token.isUnresolved(ofKey) || Token.isUnresolved(ofStack) || ofKey === ofStack) return;
  throw new Error(
    `encryptionKey must be in the stack's region, ${ofStack}, got one in ${ofKey}: S3 and DynamoDB accept no other`,
  );
}
