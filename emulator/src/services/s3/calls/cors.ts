/**
 * Cross-origin requests by a bucket's rules.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/cors.html
 */

import { S3Error } from '../protocol/errors';
import type { BucketOptions, CorsRule } from './bucket-options';
import type { Reply } from './call';

type Headers = Readonly<Record<string, string>>;

const VARY = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method';

/** Returns the response to a preflight request. Throws BadRequest and AccessForbidden. */
export function preflight(options: BucketOptions, headers: Headers): Reply {
  const origin = headers.origin;
  const method = headers['access-control-request-method'];
  if (origin === undefined) throw new S3Error('BadRequest');
  if (method === undefined) {
    throw new S3Error('BadRequest', {
      message: `Invalid Access-Control-Request-Method: ${method}`,
    });
  }
  if (options.corsRules === undefined) throw new S3Error('AccessForbidden');
  const wanted = (headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean);
  const rule = findRule(options.corsRules, origin, method, wanted);
  if (rule === undefined) {
    throw new S3Error('AccessForbidden', {
      message:
        "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.",
    });
  }
  const responseHeaders = ruleHeaders(rule, origin);
  if (wanted.length > 0) responseHeaders['access-control-allow-headers'] = wanted.join(', ');
  return { headers: responseHeaders };
}

/** The headers that a rule adds to the response of an actual request; none without such a rule. */
export function corsHeaders(options: BucketOptions, method: string, headers: Headers): Headers {
  const { origin } = headers;
  if (origin === undefined || options.corsRules === undefined) return {};
  const rule = findRule(options.corsRules, origin, method, []);
  return rule === undefined ? {} : ruleHeaders(rule, origin);
}

function findRule(
  rules: readonly CorsRule[],
  origin: string,
  method: string,
  headers: readonly string[],
): CorsRule | undefined {
  return rules.find(
    (rule) =>
      rule.allowedOrigins.some((pattern) => fits(pattern, origin)) &&
      rule.allowedMethods.includes(method) &&
      headers.every((name) =>
        rule.allowedHeaders.some((pattern) => fits(pattern.toLowerCase(), name)),
      ),
  );
}

function ruleHeaders(rule: CorsRule, origin: string): Record<string, string> {
  const anyOrigin = rule.allowedOrigins.includes('*');
  const headers: Record<string, string> = {
    'access-control-allow-origin': anyOrigin ? '*' : origin,
    'access-control-allow-methods': rule.allowedMethods.join(', '),
    vary: VARY,
  };
  if (!anyOrigin) headers['access-control-allow-credentials'] = 'true';
  if (rule.exposedHeaders.length > 0) {
    headers['access-control-expose-headers'] = rule.exposedHeaders.join(', ');
  }
  if (rule.maxAgeSeconds !== undefined) {
    headers['access-control-max-age'] = String(rule.maxAgeSeconds);
  }
  return headers;
}

/** At most one `*` stands for any text. */
function fits(pattern: string, value: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern === value;
  const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return (
    value.length >= head.length + tail.length && value.startsWith(head) && value.endsWith(tail)
  );
}
