/** Reads what a request claims about its signature. Nothing of it is verified here. */
import { parseAmzDate, parseAuthorization } from '../../../iam/sigv4';
import { S3Error } from '../protocol/errors';
import { queryValue, type S3Request } from '../protocol/request';

export interface Claim {
  readonly accessKeyId: string;
  /** `20261120` */
  readonly day: string;
  readonly region: string;
  /** `20261120T105000Z` */
  readonly date: string;
  /** Epoch milliseconds. */
  readonly signedAt: number;
  /** Lower-case names. */
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly token?: string;
  readonly presigned: boolean;
  readonly payloadHash: string;
}

const MAX_SKEW_MILLISECONDS = 15 * 60 * 1000;
const MAX_EXPIRY_SECONDS = 604_800;
const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * Throws AccessDenied for an anonymous or expired request, RequestTimeTooSkewed, or the error for
 * the field that is malformed.
 */
export function readClaim(request: S3Request, region: string, now: number): Claim {
  const inHeader = request.headers.authorization !== undefined;
  const inQuery = queryValue(request, 'X-Amz-Algorithm') !== undefined;
  if (inHeader && inQuery) {
    throw new S3Error('InvalidArgument', {
      message:
        'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
    });
  }
  if (inHeader) return readHeaderClaim(request, region, now);
  if (inQuery) return readQueryClaim(request, region, now);
  // No bucket of a stack is public.
  throw new S3Error('AccessDenied');
}

function readHeaderClaim(request: S3Request, region: string, now: number): Claim {
  const header = request.headers.authorization ?? '';
  if (!header.startsWith(`${ALGORITHM} `)) {
    throw new S3Error('InvalidRequest', {
      message:
        'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
    });
  }
  const parsed = parseAuthorization(header);
  if (parsed === undefined) throw new S3Error('AuthorizationHeaderMalformed');
  const malformed = (reason: string, details?: Record<string, string>): S3Error =>
    new S3Error('AuthorizationHeaderMalformed', {
      message: `The authorization header is malformed; ${reason}`,
      details,
    });
  const scope = readScope(parsed.credential, region, malformed);
  const payloadHash = request.headers['x-amz-content-sha256'];
  if (payloadHash === undefined) {
    throw new S3Error('InvalidRequest', {
      message: 'Missing required header for this request: x-amz-content-sha256',
    });
  }
  const date = request.headers['x-amz-date'] ?? '';
  const signedAt = parseAmzDate(date);
  if (signedAt === undefined) {
    throw new S3Error('AccessDenied', {
      message: 'AWS authentication requires a valid Date or x-amz-date header',
    });
  }
  if (Math.abs(now - signedAt) > MAX_SKEW_MILLISECONDS) {
    throw new S3Error('RequestTimeTooSkewed', {
      details: {
        RequestTime: date,
        ServerTime: new Date(now).toISOString(),
        MaxAllowedSkewMilliseconds: String(MAX_SKEW_MILLISECONDS),
      },
    });
  }
  if (!date.startsWith(scope.day)) {
    throw malformed(
      `Invalid credential date "${scope.day}". This date is not the same as X-Amz-Date: "${date}".`,
    );
  }
  const { signedHeaders, signature } = parsed;
  const token = request.headers['x-amz-security-token'];
  return {
    ...scope,
    date,
    signedAt,
    signedHeaders,
    signature,
    token,
    presigned: false,
    payloadHash,
  };
}

function readQueryClaim(request: S3Request, region: string, now: number): Claim {
  const malformed = (message: string, details?: Record<string, string>): S3Error =>
    new S3Error('AuthorizationQueryParametersError', { message, details });
  const [algorithm, credential, date, expires, signedHeaders, signature] = [
    'X-Amz-Algorithm',
    'X-Amz-Credential',
    'X-Amz-Date',
    'X-Amz-Expires',
    'X-Amz-SignedHeaders',
    'X-Amz-Signature',
  ].map((name) => queryValue(request, name));
  if (!algorithm || !credential || !date || !expires || !signedHeaders || !signature) {
    throw malformed(
      'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
    );
  }
  if (algorithm !== ALGORITHM)
    throw malformed('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256 and AWS4-ECDSA-P256-SHA256"');
  const scope = readScope(credential, region, (reason, details) =>
    malformed(`Error parsing the X-Amz-Credential parameter; ${reason}`, details),
  );
  const signedAt = parseAmzDate(date);
  if (signedAt === undefined) {
    throw malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  }
  if (!date.startsWith(scope.day)) {
    throw malformed(
      `Invalid credential date "${scope.day}". This date is not the same as X-Amz-Date: "${date}".`,
    );
  }
  if (!/^[0-9]{1,10}$/.test(expires)) throw malformed('X-Amz-Expires should be a number');
  if (Number(expires) > MAX_EXPIRY_SECONDS) {
    throw malformed(
      'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
    );
  }
  checkPeriod(signedAt, Number(expires), now);
  const names = signedHeaders.split(';');
  return {
    ...scope,
    date,
    signedAt,
    signedHeaders: names,
    signature,
    token: queryValue(request, 'X-Amz-Security-Token') ?? request.headers['x-amz-security-token'],
    presigned: true,
    payloadHash: readPayloadHash(request, names),
  };
}

/** The signature of a presigned URL covers the payload only when its signer included the hash. */
function readPayloadHash(request: S3Request, signedHeaders: readonly string[]): string {
  const header = request.headers['x-amz-content-sha256'];
  if (signedHeaders.includes('x-amz-content-sha256') && header !== undefined) return header;
  return queryValue(request, 'X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD';
}

function checkPeriod(signedAt: number, expirySeconds: number, now: number): void {
  if (signedAt - now > MAX_SKEW_MILLISECONDS) {
    throw new S3Error('AccessDenied', { message: 'Request is not valid yet' });
  }
  const expiresAt = signedAt + expirySeconds * 1000;
  if (now < expiresAt) return;
  throw new S3Error('AccessDenied', {
    message: 'Request has expired',
    details: {
      'X-Amz-Expires': String(expirySeconds),
      Expires: new Date(expiresAt).toISOString(),
      ServerTime: new Date(now).toISOString(),
    },
  });
}

/** `AKIA…/20261120/us-east-1/s3/aws4_request` */
function readScope(
  credential: string,
  region: string,
  malformed: (reason: string, details?: Record<string, string>) => S3Error,
): { readonly accessKeyId: string; readonly day: string; readonly region: string } {
  const [accessKeyId = '', day = '', claimed, service, terminator, ...rest] = credential.split('/');
  if (!/^\w{1,128}$/.test(accessKeyId) || !/^\d{8}$/.test(day) || rest.length > 0) {
    throw malformed(
      'the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    );
  }
  if (claimed !== region) {
    throw malformed(`the region '${claimed}' is wrong; expecting '${region}'`, { Region: region });
  }
  if (service !== 's3')
    throw malformed(`incorrect service "${service}". This endpoint belongs to "s3".`);
  if (terminator !== 'aws4_request') {
    throw malformed(`incorrect terminal "${terminator}". This endpoint uses "aws4_request".`);
  }
  return { accessKeyId, day, region };
}
