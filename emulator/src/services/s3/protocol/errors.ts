/**
 * Every error that the emulated S3 returns, with AWS's status and message.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
 */
export const ERRORS = {
  AccessDenied: { status: 403, message: 'Access Denied' },
  AccessForbidden: { status: 403, message: 'CORSResponse: CORS is not enabled for this bucket.' },
  AuthorizationHeaderMalformed: { status: 400, message: 'The authorization header is malformed.' },
  AuthorizationQueryParametersError: {
    status: 400,
    message: 'Error parsing the X-Amz-Credential parameter.',
  },
  BadDigest: {
    status: 400,
    message: 'The Content-MD5 you specified did not match what we received.',
  },
  BadRequest: { status: 400, message: 'Insufficient information. Origin request header needed.' },
  BucketAlreadyOwnedByYou: {
    status: 409,
    message: 'Your previous request to create the named bucket succeeded and you already own it.',
  },
  EntityTooLarge: { status: 400, message: 'Your proposed upload exceeds the maximum allowed size' },
  EntityTooSmall: {
    status: 400,
    message: 'Your proposed upload is smaller than the minimum allowed size',
  },
  IncompleteBody: { status: 400, message: 'The request body terminated unexpectedly' },
  InternalError: {
    status: 500,
    message: 'We encountered an internal error. Please try again.',
  },
  InvalidAccessKeyId: {
    status: 403,
    message: 'The AWS Access Key Id you provided does not exist in our records.',
  },
  InvalidArgument: { status: 400, message: 'Invalid Argument' },
  InvalidBucketName: { status: 400, message: 'The specified bucket is not valid.' },
  InvalidChunkSizeError: {
    status: 403,
    message: 'Only the last chunk is allowed to have a size less than 8192 bytes',
  },
  InvalidDigest: { status: 400, message: 'The Content-MD5 you specified was invalid.' },
  InvalidPart: {
    status: 400,
    message:
      "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  },
  InvalidPartOrder: {
    status: 400,
    message: 'The list of parts was not in ascending order. Parts must be ordered by part number.',
  },
  ExpiredToken: { status: 400, message: 'The provided token has expired.' },
  InvalidRange: { status: 416, message: 'The requested range is not satisfiable' },
  InvalidRequest: { status: 400, message: 'Invalid Request' },
  InvalidToken: {
    status: 400,
    message: 'The provided token is malformed or otherwise invalid.',
  },
  InvalidURI: { status: 400, message: "Couldn't parse the specified URI." },
  KeyTooLongError: { status: 400, message: 'Your key is too long' },
  MalformedTrailerError: {
    status: 400,
    message:
      'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  },
  MalformedXML: {
    status: 400,
    message:
      'The XML you provided was not well-formed or did not validate against our published schema',
  },
  MetadataTooLarge: {
    status: 400,
    message: 'Your metadata headers exceed the maximum allowed metadata size',
  },
  MethodNotAllowed: {
    status: 405,
    message: 'The specified method is not allowed against this resource.',
  },
  MissingContentLength: {
    status: 411,
    message: 'You must provide the Content-Length HTTP header.',
  },
  NoSuchBucket: { status: 404, message: 'The specified bucket does not exist' },
  NoSuchKey: { status: 404, message: 'The specified key does not exist.' },
  NoSuchUpload: {
    status: 404,
    message:
      'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  },
  NotImplemented: {
    status: 501,
    message: 'A header or query you provided implies functionality that is not implemented.',
  },
  NotModified: { status: 304, message: 'Not Modified' },
  PreconditionFailed: {
    status: 412,
    message: 'At least one of the pre-conditions you specified did not hold',
  },
  RequestTimeTooSkewed: {
    status: 403,
    message: 'The difference between the request time and the current time is too large.',
  },
  SignatureDoesNotMatch: {
    status: 403,
    message:
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  },
  XAmzContentSHA256Mismatch: {
    status: 400,
    message: "The provided 'x-amz-content-sha256' header does not match what was computed.",
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

export interface S3ErrorOptions {
  /** Replaces the message of the table. */
  readonly message?: string;
  /** Further elements of the XML body, such as `Key` or `ServerTime`. */
  readonly details?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * An error that the client sees as S3's XML error. Any other exception becomes InternalError.
 */
export class S3Error extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, options: S3ErrorOptions = {}) {
    super(options.message ?? ERRORS[code].message, { cause: options.cause });
    this.name = 'S3Error';
    this.code = code;
    this.status = ERRORS[code].status;
    this.details = options.details ?? {};
    this.headers = options.headers ?? {};
  }
}
