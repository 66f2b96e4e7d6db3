import { route } from '../websocket/stack';
import { allow, functionWithRole, smallTemplate } from './cdk-out';

export const executeApi = (scheme: string) => ({
  'Fn::Sub': `${scheme}://\${Api2}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/sync`,
});

/** The small stack and a WebSocket API. */
export function websocketTemplate() {
  const { Resources, Outputs } = smallTemplate();
  const routes = {
    ...route('Connect', '$connect'),
    ...route('Disconnect', '$disconnect'),
    ...route('Default', '$default'),
  };
  // The small stack has another Api.
  const renamed = JSON.parse(JSON.stringify(routes).replaceAll('{"Ref":"Api"}', '{"Ref":"Api2"}'));
  const connections = (part: string) =>
    `arn:aws:execute-api:\${AWS::Region}:\${AWS::AccountId}:\${Api2}/sync/${part}`;
  const mayPost = allow('execute-api:ManageConnections', {
    'Fn::Sub': connections('POST/@connections/*'),
  });
  return {
    Resources: {
      ...Resources,
      ...renamed,
      ...functionWithRole('Sync', [mayPost], {
        SYNC_URL: executeApi('wss'),
        CONNECTIONS_ENDPOINT: executeApi('https'),
      }),
      Api2: {
        Type: 'AWS::ApiGatewayV2::Api',
        Properties: {
          Name: 'sync',
          ProtocolType: 'WEBSOCKET',
          RouteSelectionExpression: '$request.body.action',
        },
      },
      SyncStage: {
        Type: 'AWS::ApiGatewayV2::Stage',
        Properties: { ApiId: { Ref: 'Api2' }, AutoDeploy: true, StageName: 'sync' },
      },
    },
    Outputs: { ...Outputs, SyncUrl: { Value: executeApi('wss') } },
  };
}
