import { LIMITS, METHOD_OVERRIDE } from '../../core/limits';
import { BASE_PATH, DIRECT_HEADERS } from '../../service/routes/routes';
import { PAYLOAD_TOO_LARGE } from './gateway-responses';
import { CORS_METHODS, PREFLIGHT_SECONDS } from './response-headers';
import { BEARER_API_KEY } from './rest-api';

/** The path of the channel and of its pages: the only path with two origins. */
export const SYNC_PATH = '/api/v2/storage/sync';

/** The id, within the distribution, of the origin for everything except handshakes. */
export const REST_ORIGIN = 'rest';

/** The id of the origin for downloads, with direct downloads. */
export const DOWNLOAD_ORIGIN = 'download';

/** The paths of objects. Their behaviour has the function download as origin. */
export const OBJECTS_PATH = `${BASE_PATH}/objects/*`;

/**
 * The code that CloudFront runs before each request, in its JavaScript runtime 2.0. It recognizes a
 * handshake by its key, because functions do not see the header Upgrade, and sends it to the root
 * of the channel's stage, which is the origin of the path's behaviour. Other requests go to the
 * REST API with an unchanged path; the function selects it only where their behaviour may have
 * another origin. Bodies that are too large are refused here, because API Gateway
 * refuses those above 10 MB in plain text. Content-MD5 is passed on under another name, because API
 * Gateway withholds it from functions: its sender would believe that the upload is verified.
 * With `directDownloads`, GET and HEAD of an object go to the function download, if they have a key
 * of valid form: the REST API refuses the others without invoking a function. It also decides what
 * a path with dot segments means. X-HTTP-Method-Override, which the REST API obeys, is refused: a
 * GET is safe for whatever stands in front of the service.
 * With `allowedOrigins`, preflights of the interface (fetch.spec.whatwg.org, "CORS protocol") are
 * answered here, and reach no API. AWS does not say whether a response headers policy applies to
 * what a function answers, so the answer is complete.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/helper-functions-origin-modification.html
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/edge-function-restrictions-all.html
 */
export function viewerRequestCode({
  directDownloads = false,
  allowedOrigins = [],
}: {
  readonly directDownloads?: boolean;
  readonly allowedOrigins?: readonly string[];
} = {}): string {
  const cors = allowedOrigins.length > 0;
  const { status, code, message } = PAYLOAD_TOO_LARGE;
  const { header: field, rule } = METHOD_OVERRIDE;
  const overridden = {
    ...{ code: 'invalid_request', message: `${field}: ${rule}` },
    details: { field, rule },
  };
  return `import cf from 'cloudfront';

function handler(event) {
  const request = event.request;${cors ? IF_PREFLIGHT : ''}
  if (request.headers['${METHOD_OVERRIDE.header}']) {
    return refusal(event, 400, 'Bad Request', ${JSON.stringify(overridden)});
  }
  const length = request.headers['content-length'];
  if (length && !(Number(length.value) <= ${LIMITS.inlineUploadBytes})) return tooLarge(event);
  const md5 = request.headers['content-md5'];
  if (md5) request.headers['x-object-content-md5'] = { value: md5.multiValue ? 'several' : md5.value };
  if (request.uri === '${SYNC_PATH}' && request.headers['sec-websocket-key']) {
    request.uri = '/';
  }${directDownloads ? ELSE_DIRECT : ''} else if (OTHER_BEHAVIOR.test(request.uri)) {
    cf.selectRequestOriginById('${REST_ORIGIN}');
  }
  return request;
}

const OTHER_BEHAVIOR = new RegExp(${JSON.stringify(otherBehavior(directDownloads))}, 'i');
${directDownloads ? IS_DOWNLOAD : ''}${cors ? corsCode(allowedOrigins) : ''}
function tooLarge(event) {
  return refusal(event, ${status}, 'Payload Too Large', ${JSON.stringify({ code, message })});
}

function refusal(event, status, statusDescription, error) {
  error.request_id = event.context.requestId;
  const headers = ${cors ? 'corsHeaders(event.request)' : '{}'};
  headers['content-type'] = { value: 'application/json' };
  headers['cache-control'] = { value: 'no-store' };
  return {
    statusCode: status,
    statusDescription: statusDescription,
    headers: headers,
    body: { encoding: 'text', data: JSON.stringify({ error: error }) + '\\n' },
  };
}
`;
}

/**
 * Matches every path whose behaviour may have another origin than the REST API. CloudFront decodes
 * unreserved characters and removes dot segments before it compares a path with the patterns, and
 * functions see the path as it was sent; what it does with empty segments is not documented.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/DownloadDistValuesCacheBehavior.html
 */
function otherBehavior(directDownloads: boolean): string {
  const known = directDownloads ? `${SYNC_PATH}$|^${BASE_PATH}/objects/` : `${SYNC_PATH}$`;
  return `^${known}|/[./]|%(2[DE]|3[0-9]|[46][1-9A-F]|5[0-9AF]|7[0-9AE])`;
}

const IF_PREFLIGHT = `
  if (isPreflight(request)) return preflight(event);`;

const FOREIGN_ORIGIN = {
  code: 'forbidden',
  message: 'pages of this origin may not use the service: add it to allowedOrigins',
};

/** `*` covers every header but Authorization, and only without credentials. */
const corsCode = (origins: readonly string[]) => `
const ORIGINS = ${JSON.stringify(origins)};

function isPreflight(request) {
  return (
    request.method === 'OPTIONS' && request.uri.startsWith('${BASE_PATH}/') &&
    !!request.headers.origin && !!request.headers['access-control-request-method']
  );
}

function corsHeaders(request) {
  const headers = { vary: { value: 'Origin' } };
  const origin = request.headers.origin;
  const any = ORIGINS.includes('*');
  if (request.uri.startsWith('${BASE_PATH}/') && origin && (any || ORIGINS.includes(origin.value))) {
    headers['access-control-allow-origin'] = { value: any ? '*' : origin.value };
    headers['access-control-expose-headers'] = { value: '*' };
  }
  return headers;
}

function preflight(event) {
  const headers = corsHeaders(event.request);
  if (!headers['access-control-allow-origin']) {
    return refusal(event, 403, 'Forbidden', ${JSON.stringify(FOREIGN_ORIGIN)});
  }
  headers['access-control-allow-methods'] = { value: '${CORS_METHODS.join(', ')}' };
  headers['access-control-allow-headers'] = { value: 'Authorization, *' };
  headers['access-control-max-age'] = { value: '${PREFLIGHT_SECONDS}' };
  return { statusCode: 204, statusDescription: 'No Content', headers: headers };
}
`;

/**
 * The origin signs the path, and AWS does not document how each side encodes odd ones, so the path
 * of the request travels in its header only.
 */
const ELSE_DIRECT = ` else if (isDownload(request)) {
    request.headers['${DIRECT_HEADERS.authorization}'] = { value: request.headers.authorization.value };
    request.headers['${DIRECT_HEADERS.path}'] = { value: request.uri };
    request.uri = '/';
    cf.selectRequestOriginById('${DOWNLOAD_ORIGIN}');
  }`;

const IS_DOWNLOAD = `
const OBJECT = new RegExp(${JSON.stringify(`^${BASE_PATH}/objects/[^/]+/.`)});
const DOTS = /\\/(\\.|%2[eE]){1,2}(\\/|$)/;
const KEY = new RegExp(${JSON.stringify(BEARER_API_KEY)});

function isDownload(request) {
  const headers = request.headers;
  const authorization = headers.authorization;
  return (
    (request.method === 'GET' || request.method === 'HEAD') &&
    OBJECT.test(request.uri) && !DOTS.test(request.uri) &&
    !!authorization && !authorization.multiValue && KEY.test(authorization.value)
  );
}
`;
