import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as s3 from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

/** Storage classes from which an object must be restored before it can be read. */
const ARCHIVES = ['GLACIER', 'DEEP_ARCHIVE'];

/**
 * Prepares a bucket of the deployer for the blobs of one service. A bucket has a single policy,
 * notification configuration and CORS configuration, which the service sets, so the bucket can have
 * no other use. Throws an Error for a bucket that is not suitable now; later changes are checked at
 * synthesis.
 */
export function prepareOwnBucket(scope: Construct, bucket: s3.Bucket): void {
  const { path } = bucket.node;
  if (Stack.of(bucket) !== Stack.of(scope)) {
    throw new Error(
      `contentBucket ${path} must be created in the stack of its ObjectStorage, because each depends on the other: 'cdk import' takes an existing bucket into a stack`,
    );
  }
  if (cfnOf(bucket).notificationConfiguration !== undefined) {
    throw new Error(
      `contentBucket ${path} has notifications already: use a separate bucket for each ObjectStorage`,
    );
  }
  // The same statement as that of enforceSSL, so that the policy contains it once.
  bucket.addToResourcePolicy(
    new iam.PolicyStatement({
      effect: iam.Effect.DENY,
      principals: [new iam.AnyPrincipal()],
      actions: ['s3:*'],
      resources: [bucket.bucketArn, bucket.arnForObjects('*')],
      conditions: { Bool: { 'aws:SecureTransport': 'false' } },
    }),
  );
  scope.node.addValidation({ validate: () => problems(bucket) });
}

function problems(bucket: s3.Bucket): string[] {
  const found: string[] = [];
  const stack = Stack.of(bucket);
  const cfn = cfnOf(bucket);
  const refuse = (problem: string) => found.push(`contentBucket ${bucket.node.path} ${problem}`);
  if (bucket.node.tryFindChild('Notifications') !== undefined) {
    refuse('has notifications of its own, which would replace those of the service: use onChange');
  }
  const lifecycle: Lifecycle = stack.resolve(cfn.lifecycleConfiguration) ?? {};
  for (const rule of lifecycle.rules ?? []) {
    if (rule.status !== 'Enabled') continue;
    if (rule.expirationInDays !== undefined || rule.expirationDate !== undefined) {
      refuse(
        'has a lifecycle rule that expires objects: the service removes objects that are not needed',
      );
    }
    if (rule.transitions?.some(({ storageClass }) => ARCHIVES.includes(storageClass))) {
      refuse(
        `has a lifecycle rule that moves objects to ${ARCHIVES.join(' or ')}, where they cannot be read`,
      );
    }
  }
  const access: Record<string, unknown> = stack.resolve(cfn.publicAccessBlockConfiguration) ?? {};
  if (Object.values(access).includes(false)) {
    refuse('allows public access: set blockPublicAccess to BLOCK_ALL');
  }
  return found;
}

/** The property of the template, with the CDK's names. */
interface Lifecycle {
  readonly rules?: readonly {
    readonly status: string;
    readonly expirationInDays?: number;
    readonly expirationDate?: string;
    readonly transitions?: readonly { readonly storageClass: string }[];
  }[];
}

/** The CloudFormation resource, for properties that the construct does not have. */
export function cfnOf(bucket: s3.Bucket): s3.CfnBucket {
  const child = bucket.node.defaultChild;
  if (!(child instanceof s3.CfnBucket)) throw new Error('the bucket has no CfnBucket child');
  return child;
}
