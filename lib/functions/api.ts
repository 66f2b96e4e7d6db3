import type { Construct } from 'constructs';
import { ENV } from '../../lambdas/runtime/env';
import { limitVariables, logVariables, metricsVariables, responseVariables } from './environment';
import { type FunctionsProps, forRequests } from './functions-props';
import { ServiceFunction } from './service-function';

/**
 * Serves every request that needs an API key except downloads of objects and pages of changes.
 * Invoked by the REST API: gateway/rest-api.ts.
 */
export function createApiFunction(scope: Construct, props: FunctionsProps): ServiceFunction {
  const { content, tables } = props;
  const api = new ServiceFunction(scope, 'Api', {
    ...forRequests(props),
    bundle: 'api',
    description: 'Serves every request except downloads of objects and pages of changes',
    timeout: props.apiTimeout,
    environment: {
      ...logVariables(tables),
      [ENV.uploadsTable]: tables.uploads.tableName,
      ...limitVariables(scope, props),
      [ENV.subscriptionsTable]: tables.subscriptions.tableName,
      [ENV.linksTable]: tables.links.tableName,
      [ENV.contentBucket]: content.bucket.bucketName,
      ...responseVariables(props),
      ...metricsVariables(props.reporting),
      [ENV.syncUrl]: props.syncUrl,
      [ENV.baseUrl]: props.baseUrl,
    },
  });
  tables.grantLimit(api);
  tables.grantManageBuckets(api);
  tables.grantReadObjects(api);
  tables.grantListObjects(api);
  tables.grantCommit(api);
  tables.grantReadSeveralObjects(api);
  tables.grantSignUploads(api);
  tables.grantCreateTickets(api);
  tables.grantManageLinks(api);
  tables.grantConsumers(api, 'UpdateItem');
  content.grantRead(api);
  content.grantWrite(api);
  content.grantUndoWrite(api);
  content.grantAbort(api);
  content.grantAbortCopy(api);
  return api;
}
