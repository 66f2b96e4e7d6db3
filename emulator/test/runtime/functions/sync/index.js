// Responds to each message by a post with its environment; refuses clients without Authorization.
const {
  ApiGatewayManagementApiClient,
  GetConnectionCommand,
  PostToConnectionCommand,
} = require('@aws-sdk/client-apigatewaymanagementapi');
const connections = new ApiGatewayManagementApiClient({});

const describe = async (ConnectionId) => {
  const read = await connections
    .send(new GetConnectionCommand({ ConnectionId }))
    .then(() => 'allowed', String);
  return JSON.stringify({ read, url: process.env.SYNC_URL, api: process.env.CONNECTIONS_ENDPOINT });
};

exports.handler = async ({ requestContext, headers }) => {
  const { connectionId, eventType } = requestContext;
  if (eventType === 'CONNECT') return { statusCode: headers.Authorization ? 200 : 401 };
  if (eventType === 'MESSAGE') {
    const Data = await describe(connectionId);
    await connections.send(new PostToConnectionCommand({ ConnectionId: connectionId, Data }));
  }
  return { statusCode: 200 };
};
