import { invalid } from '../../core/errors';
import { onlyFields } from '../../core/http/json';
import { type HttpRequest, jsonBody } from '../http/request';

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

/**
 * The body as a JSON object of these fields. Throws invalid_request, also for a content type that a
 * form on a page of another origin can send without a preflight (Fetch standard, "CORS-safelisted
 * request-header"): a second defence behind the bearer token.
 */
export function adminBody(
  request: HttpRequest,
  fields: readonly string[],
): Record<string, unknown> {
  if (!JSON_TYPE.test(request.header('content-type') ?? '')) {
    throw invalid('Content-Type', 'must be application/json');
  }
  const body = jsonBody(request);
  onlyFields(body, fields);
  return body;
}

/** As `adminBody`, for operations whose fields are all optional: the body may be empty. */
export function optionalBody(
  request: HttpRequest,
  fields: readonly string[],
): Record<string, unknown> {
  return request.body.length === 0 ? {} : adminBody(request, fields);
}
