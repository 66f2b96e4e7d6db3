import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ENV } from '../../lambdas/runtime/env';
import { logVariables, metricsVariables } from './environment';
import { type FunctionsProps, forBackground } from './functions-props';
import { ServiceFunction } from './service-function';

/**
 * Commits presigned uploads. Invoked by S3 for each finished upload. It gets neither the name of
 * the bucket nor a grant on it here: `ContentBucket.notifyUploads` says why.
 */
export function createIngestFunction(scope: Construct, props: FunctionsProps): ServiceFunction {
  const { content, tables } = props;
  const ingest = new ServiceFunction(scope, 'Ingest', {
    ...forBackground(props),
    bundle: 'ingest',
    description: 'Commits presigned uploads that S3 reports',
    timeout: Duration.minutes(1),
    environment: {
      ...logVariables(tables),
      [ENV.uploadsTable]: tables.uploads.tableName,
      [ENV.apiKeysTable]: tables.apiKeys.tableName,
      ...metricsVariables(props.reporting),
    },
  });
  tables.grantCommit(ingest);
  tables.grantSettleUploads(ingest);
  tables.grantAuthorize(ingest);
  content.notifyUploads(ingest, ingest.function);
  return ingest;
}
