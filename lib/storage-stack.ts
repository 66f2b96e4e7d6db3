import { CfnOutput, Stack, type StackProps, Token } from 'aws-cdk-lib';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { ObjectStorage } from './object-storage';
import type { ObjectStorageProps } from './object-storage-props';

/** Settings of the stack. */
export interface StorageStackProps extends StackProps {
  /**
   * Settings of the service.
   *
   * @default - the defaults of ObjectStorage
   */
  readonly storage?: ObjectStorageProps;

  /**
   * ARN of a KMS key, instead of the construct `storage.encryptionKey`.
   *
   * @default - none
   */
  readonly kmsKeyArn?: string;

  /**
   * ARN of the SNS topic for alarms, instead of the construct `storage.alarmTopic`.
   *
   * @default - none
   */
  readonly alarmTopicArn?: string;
}

/**
 * Findings of cfn-lint in every template of the CDK: Fn::Join instead of Fn::Sub, and functions
 * that depend on their role although they refer to it.
 */
const CDK_STYLE = ['I1022', 'W3005'];

const KEY_ARN = /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/;

const TOPIC_ARN = /^arn:[\w-]+:sns:([\w-]+):\d{12}:[\w-]+$/;

/** A stack with the service only; its outputs are what an operator needs. */
export class StorageStack extends Stack {
  /** The service. */
  public readonly storage: ObjectStorage;

  constructor(scope: Construct, id: string, props: StorageStackProps = {}) {
    super(scope, id, props);
    this.templateOptions.metadata = { 'cfn-lint': { config: { ignore_checks: CDK_STYLE } } };
    const { storage, kmsKeyArn, alarmTopicArn } = props;
    this.storage = new ObjectStorage(this, 'Storage', {
      ...storage,
      ...(kmsKeyArn !== undefined && { encryptionKey: this.importKey(kmsKeyArn) }),
      ...(alarmTopicArn !== undefined && { alarmTopic: this.importTopic(alarmTopicArn) }),
    });
    const { api, content, edge, queues, signIn, tables } = this.storage;

    this.output(
      'BaseUrl',
      this.storage.baseUrl,
      'Base URL of the HTTP interface, and the dashboard',
    );
    this.output('SyncUrl', this.storage.syncUrl, 'URL of the change channel');
    this.output(
      'ApiUrl',
      api.restApi.url,
      'URL of the REST API itself; with an edge it refuses requests that pass the edge by',
    );
    if (edge !== undefined) {
      const { distributionDomainName } = edge.distribution;
      this.output(
        'EdgeDomainName',
        distributionDomainName,
        'Target of the DNS record of your own domain name',
      );
    }
    this.output('ContentBucketName', content.bucket.bucketName, 'Bucket that holds the blobs');
    this.output('BucketsTableName', tables.buckets.tableName, 'Table of the buckets');
    this.output('ObjectsTableName', tables.objects.tableName, 'Table of the current records');
    this.output('ChangesTableName', tables.changes.tableName, 'Table of the change log');
    this.output('UploadsTableName', tables.uploads.tableName, 'Table of the presigned uploads');
    this.output('ApiKeysTableName', tables.apiKeys.tableName, 'Table of the API keys');
    this.output('RatesTableName', tables.rates.tableName, 'Table of the rate limits and usage');
    this.output('LinksTableName', tables.links.tableName, 'Table of the links');
    this.output('AuditTableName', tables.audit.tableName, 'Table of the audit records');
    this.output(
      'SubscriptionsTableName',
      tables.subscriptions.tableName,
      'Table of the open channels',
    );
    this.output(
      'UndeliveredQueueUrl',
      queues.undelivered.queueUrl,
      'Dead-letter queue of deferred tasks and stream batches',
    );
    if (signIn === undefined) return;
    this.output('UserPoolId', signIn.userPool.userPoolId, 'User pool of the administrators');
    this.output('SignInIssuer', signIn.issuer.issuer, 'Issuer of the tokens of administrators');
    this.output('SignInClientId', signIn.issuer.clientId, 'Client of the dashboard at the issuer');
  }

  private importKey(arn: string): kms.IKey {
    if (!Token.isUnresolved(arn) && !KEY_ARN.test(arn)) {
      throw new Error(
        `kmsKeyArn must be the ARN of a key, such as 'arn:aws:kms:eu-west-1:123456789012:key/…', got '${arn}': an alias is not accepted`,
      );
    }
    return kms.Key.fromKeyArn(this, 'Key', arn);
  }

  private importTopic(arn: string): sns.ITopic {
    const [, region] = TOPIC_ARN.exec(arn) ?? [];
    if (!Token.isUnresolved(arn) && region === undefined) {
      throw new Error(
        `alarmTopicArn must be the ARN of an SNS topic, such as 'arn:aws:sns:eu-west-1:123456789012:alarms', got '${arn}'`,
      );
    }
    if (region !== undefined && !Token.isUnresolved(this.region) && region !== this.region) {
      throw new Error(
        `alarmTopicArn must be in the stack's region, ${this.region}, got one in ${region}: CloudWatch notifies topics of its own region only`,
      );
    }
    return sns.Topic.fromTopicArn(this, 'AlarmTopic', arn);
  }

  private output(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description });
  }
}
