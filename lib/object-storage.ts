import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { ContentBucket } from './content-bucket';
import { Functions, type FunctionsOptions } from './functions';
import { Monitoring } from './monitoring';
import { RestApi, type RestApiOptions } from './rest-api';
import { Schedules } from './schedules';
import { Tables } from './tables';
import { validate } from './validate';

export interface ObjectStorageProps extends RestApiOptions, FunctionsOptions {
  /**
   * How long old versions of objects, and the change log, can be read. At least one hour.
   *
   * @default Duration.days(7)
   */
  readonly retention?: Duration;

  /**
   * What happens to the content bucket, the tables and the logs when the stack is deleted. CloudFormation deletes an
   * empty bucket only.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Whether DynamoDB refuses to delete the tables until this is switched off.
   *
   * @default - true with RemovalPolicy.RETAIN, else false
   */
  readonly deletionProtection?: boolean;

  /**
   * Origins of web pages that may upload and download by signed URL, such as `https://app.example.com`.
   *
   * @default - none: browsers refuse signed URLs in scripts
   */
  readonly allowedOrigins?: string[];

  /**
   * Bucket that receives S3's server access logs of the content bucket.
   *
   * @default - no access logs
   */
  readonly serverAccessLogsBucket?: s3.IBucket;

  /**
   * Where alarms are sent.
   *
   * @default - alarms change their state, but notify nobody
   */
  readonly alarmTopic?: sns.ITopic;
}

/** An object storage service with an ordered change log per bucket. This constructor is the diagram of docs/design.md. */
export class ObjectStorage extends Construct {
  public readonly content: ContentBucket;
  public readonly tables: Tables;
  public readonly functions: Functions;
  public readonly api: RestApi;

  constructor(scope: Construct, id: string, props: ObjectStorageProps = {}) {
    super(scope, id);
    const retention = props.retention ?? Duration.days(7);
    const responseStreaming = props.responseStreaming ?? true;
    validate({ ...props, retention });

    this.content = new ContentBucket(this, 'Content', props);
    this.tables = new Tables(this, 'Tables', props);
    this.functions = new Functions(this, 'Functions', {
      ...props,
      content: this.content,
      tables: this.tables,
      responseStreaming,
      retention,
      apiTimeout: RestApi.apiTimeout,
      downloadTimeout: RestApi.downloadTimeout(responseStreaming),
    });
    const { authorizer, api, download, ingest, fanout, janitor } = this.functions;

    this.api = new RestApi(this, 'Api', {
      ...props,
      authorizer: authorizer.function,
      api: api.function,
      download: download.function,
    });
    this.content.notifyUploads(ingest);
    this.wakeFanout();
    new Schedules(this, 'Schedules', { janitor: janitor.function });
    new Monitoring(this, 'Monitoring', {
      ingest,
      fanout,
      janitor,
      readers: [api, download, janitor],
      alarmTopic: props.alarmTopic,
    });
  }

  /**
   * A stream record is only a wake-up: fanout reads the log itself, and the janitor's minute wakes it too. So a batch
   * that keeps failing is given up soon, instead of blocking its shard for the 24 hours of a stream.
   */
  private wakeFanout(): void {
    new lambda.EventSourceMapping(this, 'ChangesToFanout', {
      target: this.functions.fanout.function,
      eventSourceArn: this.tables.changesStreamArn,
      // LATEST may miss what happens while the mapping is being created or changed.
      startingPosition: lambda.StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      // Each entry is removed once, by Trim: nobody needs to be woken for that.
      filters: [lambda.FilterCriteria.filter({ eventName: lambda.FilterRule.isEqual('INSERT') })],
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: 5,
      maxRecordAge: Duration.hours(1),
    });
  }
}
