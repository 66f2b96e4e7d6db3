import path from 'node:path';
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { ChangeTarget, ObjectStorage } from 'stowage';

/** The bucket of the pictures. A client whose API key allows it creates the bucket. */
const BUCKET = 'gallery';

/**
 * An object storage of pictures and their thumbnails, a table of the pictures, and an API that
 * lists them.
 */
export class GalleryStack extends Stack {
  private readonly encryptionKey: kms.Key;
  private readonly alarmTopic: sns.Topic;
  private readonly storage: ObjectStorage;
  private readonly pictures: dynamodb.Table;

  constructor(scope: Construct, id: string, props?: StackProps) {
    super(scope, id, props);
    this.encryptionKey = new kms.Key(this, 'Key', { enableKeyRotation: true });
    this.alarmTopic = new sns.Topic(this, 'Alarms');
    this.storage = this.createStorage();
    this.pictures = this.createTable();
    this.addThumbnails();
    this.addApi();
    this.addAlarm();
    this.addOutputs();
  }

  /** The service uses the stack's own key and topic. */
  private createStorage(): ObjectStorage {
    const { encryptionKey, alarmTopic } = this;
    return new ObjectStorage(this, 'Storage', {
      encryptionKey,
      alarmTopic,
      retention: Duration.days(30),
      logRetention: logs.RetentionDays.TWO_WEEKS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  private createTable(): dynamodb.Table {
    return new dynamodb.Table(this, 'Pictures', {
      partitionKey: { name: 'key', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      encryptionKey: this.encryptionKey,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  /** The function is notified of every change. It reads originals and writes only thumbnails. */
  private addThumbnails(): void {
    const { storage, pictures } = this;
    const thumbnails = this.createFunction('Thumbnails', 'thumbnails', Duration.minutes(2));
    pictures.grantWriteData(thumbnails);
    storage.onChange('Thumbnails', ChangeTarget.lambda(thumbnails), { buckets: [BUCKET] });
    storage.grantRead(thumbnails, { buckets: [BUCKET], prefix: 'originals/' });
    storage.grantWrite(thumbnails, { buckets: [BUCKET], prefix: 'thumbnails/' });
    thumbnails.addEnvironment('STOWAGE_FUNCTION', storage.accessArn(thumbnails));
  }

  /** The stack's own API, without authentication: it returns signed URLs of thumbnails. */
  private addApi(): void {
    const { storage, pictures } = this;
    const list = this.createFunction('List', 'pictures', Duration.seconds(29));
    pictures.grantReadData(list);
    storage.grantRead(list, { buckets: [BUCKET], prefix: 'thumbnails/' });
    list.addEnvironment('STOWAGE_FUNCTION', storage.accessArn(list));
    const api = new apigateway.RestApi(this, 'Api', {
      description: 'Lists the pictures of the gallery',
      endpointTypes: [apigateway.EndpointType.REGIONAL],
    });
    api.root.addResource('pictures').addMethod('GET', new apigateway.LambdaIntegration(list));
  }

  private createFunction(id: string, folder: string, timeout: Duration): lambda.Function {
    return new lambda.Function(this, id, {
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      handler: 'index.handler',
      code: lambda.Code.fromAsset(path.join(__dirname, '../dist', folder)),
      memorySize: 1024,
      timeout,
      environment: { BUCKET, PICTURES_TABLE: this.pictures.tableName },
    });
  }

  private addAlarm(): void {
    const tooManyErrors = new cloudwatch.Alarm(this, 'TooManyErrors', {
      metric: this.storage.metricErrors({ period: Duration.minutes(5) }),
      threshold: 10,
      evaluationPeriods: 1,
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
    });
    tooManyErrors.addAlarmAction(new actions.SnsAction(this.alarmTopic));
  }

  /** `stowage create-key` and `stowage restore-backup` need the names of the storage's tables. */
  private addOutputs(): void {
    const { baseUrl, tables, content } = this.storage;
    new CfnOutput(this, 'BaseUrl', { value: baseUrl });
    new CfnOutput(this, 'PicturesTableName', { value: this.pictures.tableName });
    new CfnOutput(this, 'ApiKeysTableName', { value: tables.apiKeys.tableName });
    new CfnOutput(this, 'AuditTableName', { value: tables.audit.tableName });
    new CfnOutput(this, 'BucketsTableName', { value: tables.buckets.tableName });
    new CfnOutput(this, 'ObjectsTableName', { value: tables.objects.tableName });
    new CfnOutput(this, 'ChangesTableName', { value: tables.changes.tableName });
    new CfnOutput(this, 'UploadsTableName', { value: tables.uploads.tableName });
    new CfnOutput(this, 'ContentBucketName', { value: content.bucket.bucketName });
  }
}
