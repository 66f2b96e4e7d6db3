/**
 * What one line of the REST API's access log holds.
 *
 * Never the token, never a query string: a page token or a signed parameter must not end up in a
 * log. What the client chooses comes first: should API Gateway not escape it, the members that
 * follow are still the true ones, because JSON parsers keep the last of a name.
 */
export const ACCESS_LOG_FIELDS = {
  method: '$context.httpMethod',
  path: '$context.path',
  time: '$context.requestTime',
  request_id: '$context.requestId',
  extended_request_id: '$context.extendedRequestId',
  key_id: '$context.authorizer.principalId',
  source_ip: '$context.identity.sourceIp',
  status: '$context.status',
  response_bytes: '$context.responseLength',
  latency_ms: '$context.responseLatency',
  integration_latency_ms: '$context.integrationLatency',
  error_type: '$context.error.responseType',
  integration_error: '$context.integration.error',
} as const;
