import type { Construct } from 'constructs';
import { ENV } from '../../lambdas/runtime/env';
import { limitVariables, logVariables, metricsVariables, responseVariables } from './environment';
import { type FunctionsProps, forDownloads } from './functions-props';
import { ServiceFunction } from './service-function';

/**
 * Serves GET and HEAD of an object, and links to one. Invoked by the REST API:
 * gateway/rest-api.ts.
 */
export function createDownloadFunction(scope: Construct, props: FunctionsProps): ServiceFunction {
  const { content, tables } = props;
  const download = new ServiceFunction(scope, 'Download', {
    ...forDownloads(props),
    bundle: 'download',
    description: 'Serves GET and HEAD of an object, and links to one',
    timeout: props.downloadTimeout,
    environment: {
      ...logVariables(tables),
      ...limitVariables(scope, props),
      [ENV.linksTable]: tables.links.tableName,
      [ENV.contentBucket]: content.bucket.bucketName,
      ...responseVariables(props),
      ...metricsVariables(props.reporting),
    },
  });
  tables.grantLimit(download);
  tables.grantReadObjects(download);
  tables.grantOpenLinks(download);
  content.grantRead(download);
  return download;
}
