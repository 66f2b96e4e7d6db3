/**
 * The fields of a line in the REST API's access log.
 *
 * There is no token and no query string, which may hold a page token or a signed parameter. Values
 * that the client chooses come first: if API Gateway did not escape one, the fields that follow
 * would still win, because JSON parsers use the last field of a name.
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
