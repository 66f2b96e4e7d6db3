import { ArnFormat, Aws, Stack, Token } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** Services that use a key in the name of whoever calls them. */
type Store = 'dynamodb' | 's3' | 'sqs';

/**
 * Allows using the key through that store, and in no other way; without a key, nothing. It stands
 * in the grantee's policy alone: the key's own must leave it to IAM of the account, as those of the
 * CDK and of the console do.
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
 * Prepares the key of a service. Throws an Error for one of another region.
 *
 * CloudWatch Logs asks the key's own policy. That of an imported key is its owner's, who puts the
 * statement there (docs/construct.md): here nothing can be added to it.
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
          'kms:EncryptionContext:aws:logs:arn': stack.formatArn({
            service: 'logs',
            resource: 'log-group',
            // As CloudFormation names them.
            resourceName: `${stack.stackName}-*`,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        },
      },
    }),
  );
}

function checkRegion(ofKey: string, ofStack: string): void {
  if (Token.isUnresolved(ofKey) || Token.isUnresolved(ofStack) || ofKey === ofStack) return;
  throw new Error(
    `encryptionKey must be in the stack's region, ${ofStack}, got one in ${ofKey}: S3 and DynamoDB take no other`,
  );
}
