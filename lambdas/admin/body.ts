import { invalid } from '../../core/errors';
import { type HttpRequest, jsonBody, onlyFields } from '../shared/http/request';

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

/**
 * The body as a JSON object of these fields. Throws invalid_request, also for a content type that a
 * form of a foreign page could send without asking (Fetch standard, "CORS-safelisted
 * request-header"): one wall more behind the bearer token.
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

/** Where every field may be missing, so may the body. */
export function optionalBody(
  request: HttpRequest,
  fields: readonly string[],
): Record<string, unknown> {
  return request.body.length === 0 ? {} : adminBody(request, fields);
}
