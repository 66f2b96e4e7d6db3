import { LIMITS } from '../../core/limits';
import { PAYLOAD_TOO_LARGE } from './gateway-responses';

/** The path of the channel and of its pages: the only path with two origins. */
export const SYNC_PATH = '/api/v2/storage/sync';

/** The id, within the distribution, of the origin for everything except handshakes. */
export const REST_ORIGIN = 'rest';

/**
 * The code that CloudFront runs before each request, in its JavaScript runtime 2.0. It recognizes a
 * handshake by its key, because functions do not see the header Upgrade, and sends it to the root
 * of the channel's stage, which is the origin of the path's behaviour. Other requests go to the
 * REST API with an unchanged path. Bodies that are too large are refused here, because API Gateway
 * refuses those above 10 MB in plain text. Content-MD5 is passed on under another name, because API
 * Gateway withholds it from functions: its sender would believe that the upload is verified.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/helper-functions-origin-modification.html
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/edge-function-restrictions-all.html
 */
export function viewerRequestCode(): string {
  const { status, code, message } = PAYLOAD_TOO_LARGE;
  return `import cf from 'cloudfront';

function handler(event) {
  const request = event.request;
  const length = request.headers['content-length'];
  if (length && !(Number(length.value) <= ${LIMITS.inlineUploadBytes})) return tooLarge(event.context.requestId);
  const md5 = request.headers['content-md5'];
  if (md5) request.headers['x-object-content-md5'] = { value: md5.multiValue ? 'several' : md5.value };
  if (request.uri === '${SYNC_PATH}' && request.headers['sec-websocket-key']) {
    request.uri = '/';
  } else {
    cf.selectRequestOriginById('${REST_ORIGIN}');
  }
  return request;
}

function tooLarge(requestId) {
  const error = ${JSON.stringify({ code, message })};
  error.request_id = requestId;
  return {
    statusCode: ${status},
    statusDescription: 'Payload Too Large',
    headers: {
      'content-type': { value: 'application/json' },
      'cache-control': { value: 'no-store' },
    },
    body: { encoding: 'text', data: JSON.stringify({ error: error }) + '\\n' },
  };
}
`;
}
