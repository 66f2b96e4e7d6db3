import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as s3 from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

/** In these storage classes a blob cannot be read at once. */
const ARCHIVES = ['GLACIER', 'DEEP_ARCHIVE'];

/**
 * Takes over a bucket that the deployer made, for the blobs of one service and nothing else: of
 * policy, notifications and CORS S3 keeps one each, and they become the service's. Throws an Error
 * for what is wrong with it now; what is done to it later fails the synthesis.
 */
export function prepareOwnBucket(scope: Construct, bucket: s3.Bucket): void {
  const { path } = bucket.node;
  if (Stack.of(bucket) !== Stack.of(scope)) {
    throw new Error(
      `contentBucket ${path} must be made in the stack of its ObjectStorage, because each needs the other: 'cdk import' takes an existing bucket into a stack`,
    );
  }
  if (cfnOf(bucket).notificationConfiguration !== undefined) {
    throw new Error(
      `contentBucket ${path} has notifications already: give each ObjectStorage a bucket of its own`,
    );
  }
  // The same as by enforceSSL, which adds nothing then.
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
      refuse('has a lifecycle rule that expires objects: the service removes what is not needed');
    }
    if (rule.transitions?.some(({ storageClass }) => ARCHIVES.includes(storageClass))) {
      refuse(`has a lifecycle rule into ${ARCHIVES.join(' or ')}, where objects cannot be read`);
    }
  }
  const access: Record<string, unknown> = stack.resolve(cfn.publicAccessBlockConfiguration) ?? {};
  if (Object.values(access).includes(false)) {
    refuse('lets the public in: set blockPublicAccess to BLOCK_ALL');
  }
  return found;
}

/** As in the template, in the CDK's spelling. */
interface Lifecycle {
  readonly rules?: readonly {
    readonly status: string;
    readonly expirationInDays?: number;
    readonly expirationDate?: string;
    readonly transitions?: readonly { readonly storageClass: string }[];
  }[];
}

/** The resource itself, for properties that the construct does not offer. */
export function cfnOf(bucket: s3.Bucket): s3.CfnBucket {
  const child = bucket.node.defaultChild;
  if (!(child instanceof s3.CfnBucket)) throw new Error('the bucket has no CfnBucket child');
  return child;
}
