// Loaded into each function before its code. `https://{api}.execute-api.…/{stage}` does not
// resolve, because MiniStack serves the API below its own endpoint (ministack.md). This sets the
// variable of the SDK for that endpoint, so that neither the stack nor the bundle changes.
const { CONNECTIONS_ENDPOINT, AWS_ENDPOINT_URL } = process.env;
if (CONNECTIONS_ENDPOINT) {
  const { hostname, pathname } = new URL(CONNECTIONS_ENDPOINT);
  process.env.AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI = `${AWS_ENDPOINT_URL}/_aws/execute-api/${hostname.split('.')[0]}${pathname}`;
}
