// Answers each message with what it knows of itself, by a post; refuses who does not say who he is.
const {
  ApiGatewayManagementApiClient,
  GetConnectionCommand,
  PostToConnectionCommand,
} = require('@aws-sdk/client-apigatewaymanagementapi');
const connections = new ApiGatewayManagementApiClient({});

const answer = async (ConnectionId) => {
  const read = await connections
    .send(new GetConnectionCommand({ ConnectionId }))
    .then(() => 'allowed', String);
  return JSON.stringify({ read, url: process.env.SYNC_URL, api: process.env.CONNECTIONS_ENDPOINT });
};

exports.handler = async ({ requestContext, headers }) => {
  const { connectionId, eventType } = requestContext;
  if (eventType === 'CONNECT') return { statusCode: headers.Authorization ? 200 : 401 };
  if (eventType === 'MESSAGE') {
    const Data = await answer(connectionId);
    await connections.send(new PostToConnectionCommand({ ConnectionId: connectionId, Data }));
  }
  return { statusCode: 200 };
};
