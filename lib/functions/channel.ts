import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ENV } from '../../lambdas/runtime/env';
import { limitVariables, metricsVariables } from './environment';
import { type FunctionsProps, forRequests } from './functions-props';
import { ServiceFunction } from './service-function';

/** Serves the change channel. Invoked by the WebSocket API: gateway/channel-api.ts. */
export function createChannelFunction(scope: Construct, props: FunctionsProps): ServiceFunction {
  const { tables, queues, channelApi } = props;
  const channel = new ServiceFunction(scope, 'Channel', {
    ...forRequests(props),
    bundle: 'channel',
    description: 'Serves the change channel: handshakes and client messages',
    timeout: props.channelTimeout,
    environment: {
      [ENV.bucketsTable]: tables.buckets.tableName,
      [ENV.changesTable]: tables.changes.tableName,
      ...limitVariables(scope, props),
      [ENV.subscriptionsTable]: tables.subscriptions.tableName,
      [ENV.followUpsQueueUrl]: queues.deferredTasks.queueUrl,
      [ENV.connectionsEndpoint]: channelApi.connectionsEndpoint,
      ...metricsVariables(props.reporting),
      [ENV.allowedOrigins]: props.allowedOrigins,
      ...(props.originSecrets && {
        [ENV.originSecrets]: Stack.of(scope).toJsonString(props.originSecrets),
      }),
    },
  });
  tables.grantLimit(channel);
  tables.grantCheckTemporaryKeys(channel);
  tables.grantReadSlots(channel);
  tables.grantFollowLog(channel);
  tables.grantSubscribe(channel);
  tables.grantConsumers(channel, 'GetItem', 'UpdateItem');
  queues.grantDefer(channel);
  channelApi.grantPost(channel);
  channelApi.grantCheck(channel);
  channelApi.grantDisconnect(channel);
  return channel;
}
