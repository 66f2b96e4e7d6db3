import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { ENV } from '../lambdas/env';
import type { ContentBucket } from './content-bucket';
import { ServiceFunction, type ServiceFunctionOptions } from './service-function';
import type { Tables } from './tables';

export interface FunctionsOptions extends ServiceFunctionOptions {
  /**
   * Memory of the functions that answer requests (authorizer, api, download), in MiB. It also decides their share of
   * a processor.
   *
   * @default 1024
   */
  readonly requestMemorySize?: number;

  /**
   * Memory of the functions that work in the background (ingest, fanout, janitor), in MiB.
   *
   * @default 512
   */
  readonly backgroundMemorySize?: number;
}

export interface FunctionsProps extends FunctionsOptions {
  readonly content: ContentBucket;
  readonly tables: Tables;
  readonly responseStreaming: boolean;
  readonly retention: Duration;
  readonly apiTimeout: Duration;
  readonly downloadTimeout: Duration;
}

/** One function per trigger and set of permissions: what each gets to know, and what it may do. */
export class Functions extends Construct {
  public readonly authorizer: ServiceFunction;
  public readonly api: ServiceFunction;
  public readonly download: ServiceFunction;
  public readonly ingest: ServiceFunction;
  public readonly fanout: ServiceFunction;
  public readonly janitor: ServiceFunction;

  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    const { content, tables } = props;
    const request = { ...props, memorySize: props.requestMemorySize ?? 1024 };
    const background = { ...props, memorySize: props.backgroundMemorySize ?? 512 };

    const blobs = { [ENV.contentBucket]: content.bucket.bucketName };
    const log = {
      [ENV.bucketsTable]: tables.buckets.tableName,
      [ENV.objectsTable]: tables.objects.tableName,
      [ENV.changesTable]: tables.changes.tableName,
    };
    const uploads = { [ENV.uploadsTable]: tables.uploads.tableName };
    const responseMode = { [ENV.responseMode]: props.responseStreaming ? 'stream' : 'buffered' };
    const retention = { [ENV.retentionSeconds]: props.retention.toSeconds().toString() };

    this.authorizer = new ServiceFunction(this, 'Authorizer', {
      ...request,
      bundle: 'authorizer',
      description: 'Checks API keys for the gateway',
      timeout: Duration.seconds(5),
      environment: { [ENV.apiKeysTable]: tables.apiKeys.tableName },
    });
    tables.grantAuthorize(this.authorizer);

    this.api = new ServiceFunction(this, 'Api', {
      ...request,
      bundle: 'api',
      description: 'Answers every request but the download of an object',
      timeout: props.apiTimeout,
      environment: { ...log, ...uploads, ...blobs, ...responseMode },
    });
    tables.grantManageBuckets(this.api);
    tables.grantReadObjects(this.api);
    tables.grantListObjects(this.api);
    tables.grantCommit(this.api);
    tables.grantMintUploads(this.api);
    content.grantRead(this.api);
    content.grantWrite(this.api);
    content.grantUndoWrite(this.api);
    content.grantAbort(this.api);

    this.download = new ServiceFunction(this, 'Download', {
      ...request,
      bundle: 'download',
      description: 'Answers GET and HEAD of an object',
      timeout: props.downloadTimeout,
      environment: { ...log, ...blobs, ...responseMode },
    });
    tables.grantReadObjects(this.download);
    content.grantRead(this.download);

    // No bucket name and no grant on the bucket: see ContentBucket.notifyUploads.
    this.ingest = new ServiceFunction(this, 'Ingest', {
      ...background,
      bundle: 'ingest',
      description: 'Commits presigned uploads that S3 reports',
      timeout: Duration.minutes(1),
      environment: { ...log, ...uploads },
    });
    tables.grantCommit(this.ingest);
    tables.grantSettleUploads(this.ingest);

    this.fanout = new ServiceFunction(this, 'Fanout', {
      ...background,
      bundle: 'fanout',
      description: 'Delivers, counts and trims the change log',
      timeout: Duration.minutes(1),
      environment: { ...log, ...blobs, ...retention },
    });
    tables.grantReadChangesStream(this.fanout);
    tables.grantMaintainLog(this.fanout);
    content.grantDelete(this.fanout);

    this.janitor = new ServiceFunction(this, 'Janitor', {
      ...background,
      bundle: 'janitor',
      description: 'Fences quiet logs, finds lost uploads, reconciles blobs with records',
      timeout: Duration.minutes(15),
      environment: { ...log, ...uploads, ...blobs, ...retention },
    });
    tables.grantManageBuckets(this.janitor);
    tables.grantMaintainLog(this.janitor);
    tables.grantReconcile(this.janitor);
    tables.grantCommit(this.janitor);
    tables.grantFindUploads(this.janitor);
    tables.grantSettleUploads(this.janitor);
    content.grantRead(this.janitor);
    content.grantDelete(this.janitor);
    content.grantAbort(this.janitor);
  }
}
