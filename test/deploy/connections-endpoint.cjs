// Loaded into each function ahead of its code: `https://{api}.execute-api.…/{stage}` does not resolve, because MiniStack serves
// it below its own endpoint (ministack.md). The SDK's own variable says so; stack and bundle stay as they are.
const { CONNECTIONS_ENDPOINT, AWS_ENDPOINT_URL } = process.env;
if (CONNECTIONS_ENDPOINT) {
  const { hostname, pathname } = new URL(CONNECTIONS_ENDPOINT);
  process.env.AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI = `${AWS_ENDPOINT_URL}/_aws/execute-api/${hostname.split('.')[0]}${pathname}`;
}
