import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { ENV } from '../../lambdas/runtime/env';
import { logVariables, metricsVariables } from './environment';
import { type FunctionsProps, forBackground } from './functions-props';
import { schedule } from './schedule';
import { ServiceFunction } from './service-function';

/** Runs the maintenance tasks. Invoked on schedules, each of which names its task. */
export function createJanitorFunction(scope: Construct, props: FunctionsProps): ServiceFunction {
  const { content, tables } = props;
  const janitor = new ServiceFunction(scope, 'Janitor', {
    ...forBackground(props),
    bundle: 'janitor',
    description: 'Fills gaps in change logs, finds lost uploads, reconciles blobs with records',
    timeout: Duration.minutes(15),
    environment: {
      ...logVariables(tables),
      [ENV.uploadsTable]: tables.uploads.tableName,
      [ENV.apiKeysTable]: tables.apiKeys.tableName,
      [ENV.contentBucket]: content.bucket.bucketName,
      [ENV.retentionSeconds]: props.retention.toSeconds().toString(),
      ...metricsVariables(props.reporting),
    },
  });
  tables.grantManageBuckets(janitor);
  tables.grantMaintainLog(janitor);
  tables.grantReconcile(janitor);
  tables.grantCommit(janitor);
  tables.grantFindDueObjects(janitor);
  tables.grantFindUploads(janitor);
  tables.grantSettleUploads(janitor);
  tables.grantAuthorize(janitor);
  content.grantRead(janitor);
  content.grantDelete(janitor);
  content.grantAbort(janitor);
  content.grantCopyLarge(janitor);
  addSchedules(new Construct(props.service, 'Schedules'), janitor);
  return janitor;
}

function addSchedules(scope: Construct, janitor: ServiceFunction): void {
  schedule(scope, janitor, {
    Logs: {
      task: 'logs',
      interval: Duration.minutes(1),
      description: 'fills gaps in quiet change logs, publishes and trims them',
    },
    Copies: {
      task: 'copies',
      interval: Duration.minutes(1),
      description: 'makes copies that take longer than a request',
    },
    Uploads: {
      task: 'uploads',
      interval: Duration.hours(1),
      description: 'finds presigned uploads whose S3 event was lost',
    },
    Expiry: {
      task: 'expiry',
      interval: Duration.minutes(15),
      description: 'deletes objects that have expired',
    },
    Reconcile: {
      task: 'reconcile',
      interval: Duration.hours(1),
      description: 'compares blobs with records: one pass a day, in as many runs as it takes',
    },
  });
}
