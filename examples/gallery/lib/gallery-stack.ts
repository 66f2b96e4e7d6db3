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
 * An object storage with pictures and their thumbnails, a table of them, and an API that lists
 * them.
 */
export class GalleryStack extends Stack {
  constructor(scope: Construct, id: string, props?: StackProps) {
    super(scope, id, props);

    // The stack's own key and topic, which the service uses for everything.
    const encryptionKey = new kms.Key(this, 'Key', { enableKeyRotation: true });
    const alarmTopic = new sns.Topic(this, 'Alarms');
    const storage = new ObjectStorage(this, 'Storage', {
      encryptionKey,
      alarmTopic,
      retention: Duration.days(30),
      logRetention: logs.RetentionDays.TWO_WEEKS,
      removalPolicy: RemovalPolicy.DESTROY,
    });

    const pictures = new dynamodb.Table(this, 'Pictures', {
      partitionKey: { name: 'key', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      encryptionKey,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const functionOf = (id: string, folder: string, timeout: Duration) =>
      new lambda.Function(this, id, {
        runtime: lambda.Runtime.NODEJS_24_X,
        architecture: lambda.Architecture.ARM_64,
        handler: 'index.handler',
        code: lambda.Code.fromAsset(path.join(__dirname, '../dist', folder)),
        memorySize: 1024,
        timeout,
        environment: { BUCKET, PICTURES_TABLE: pictures.tableName },
      });

    const thumbnails = functionOf('Thumbnails', 'thumbnails', Duration.minutes(2));
    pictures.grantWriteData(thumbnails);

    // The function is notified of every change, reads originals and writes thumbnails only.
    storage.onChange('Thumbnails', ChangeTarget.lambda(thumbnails), { buckets: [BUCKET] });
    storage.grantRead(thumbnails, { buckets: [BUCKET], prefix: 'originals/' });
    storage.grantWrite(thumbnails, { buckets: [BUCKET], prefix: 'thumbnails/' });
    thumbnails.addEnvironment('STOWAGE_FUNCTION', storage.accessArn(thumbnails));

    // The stack's own API, without authentication: it returns signed URLs of thumbnails.
    const list = functionOf('List', 'pictures', Duration.seconds(29));
    pictures.grantReadData(list);
    storage.grantRead(list, { buckets: [BUCKET], prefix: 'thumbnails/' });
    list.addEnvironment('STOWAGE_FUNCTION', storage.accessArn(list));
    const api = new apigateway.RestApi(this, 'Api', {
      description: 'Pictures for everybody',
      endpointTypes: [apigateway.EndpointType.REGIONAL],
    });
    api.root.addResource('pictures').addMethod('GET', new apigateway.LambdaIntegration(list));

    const tooMany = new cloudwatch.Alarm(this, 'TooManyErrors', {
      metric: storage.metricErrors({ period: Duration.minutes(5) }),
      threshold: 10,
      evaluationPeriods: 1,
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
    });
    tooMany.addAlarmAction(new actions.SnsAction(alarmTopic));

    new CfnOutput(this, 'BaseUrl', { value: storage.baseUrl });
    new CfnOutput(this, 'PicturesTableName', { value: pictures.tableName });
    // `stowage create-key` and `stowage restore` need these.
    const { tables, content } = storage;
    new CfnOutput(this, 'ApiKeysTableName', { value: tables.apiKeys.tableName });
    new CfnOutput(this, 'AuditTableName', { value: tables.audit.tableName });
    new CfnOutput(this, 'BucketsTableName', { value: tables.buckets.tableName });
    new CfnOutput(this, 'ObjectsTableName', { value: tables.objects.tableName });
    new CfnOutput(this, 'ChangesTableName', { value: tables.changes.tableName });
    new CfnOutput(this, 'UploadsTableName', { value: tables.uploads.tableName });
    new CfnOutput(this, 'ContentBucketName', { value: content.bucket.bucketName });
  }
}
