/**
 * AWS's status and message of every error that the emulated S3 returns.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
 */
const ERRORS = {
  AccessDenied: [403, 'Access Denied'],
  AccessForbidden: [403, 'CORSResponse: CORS is not enabled for this bucket.'],
  AuthorizationHeaderMalformed: [400, 'The authorization header is malformed.'],
  AuthorizationQueryParametersError: [400, 'Error parsing the X-Amz-Credential parameter.'],
  BadDigest: [400, 'The Content-MD5 you specified did not match what we received.'],
  BadRequest: [400, 'Insufficient information. Origin request header needed.'],
  BucketAlreadyOwnedByYou: [
    409,
    'Your previous request to create the named bucket succeeded and you already own it.',
  ],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed size'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size'],
  IncompleteBody: [400, 'The request body terminated unexpectedly'],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  InvalidArgument: [400, 'Invalid Argument'],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidChunkSizeError: [
    403,
    'Only the last chunk is allowed to have a size less than 8192 bytes',
  ],
  InvalidDigest: [400, 'The Content-MD5 you specified was invalid.'],
  InvalidPart: [
    400,
    "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  ],
  InvalidPartOrder: [
    400,
    'The list of parts was not in ascending order. Parts must be ordered by part number.',
  ],
  ExpiredToken: [400, 'The provided token has expired.'],
  InvalidRange: [416, 'The requested range is not satisfiable'],
  InvalidRequest: [400, 'Invalid Request'],
  InvalidToken: [400, 'The provided token is malformed or otherwise invalid.'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, 'Your key is too long'],
  MalformedTrailerError: [
    400,
    'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  ],
  MalformedXML: [
    400,
    'The XML you provided was not well-formed or did not validate against our published schema',
  ],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchUpload: [
    404,
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  ],
  NotImplemented: [
    501,
    'A header or query you provided implies functionality that is not implemented.',
  ],
  NotModified: [304, 'Not Modified'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold'],
  RequestTimeTooSkewed: [
    403,
    'The difference between the request time and the current time is too large.',
  ],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  XAmzContentSHA256Mismatch: [
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

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
    const [status, message] = ERRORS[code];
    super(options.message ?? message, { cause: options.cause });
    this.name = 'S3Error';
    this.code = code;
    this.status = status;
    this.details = options.details ?? {};
    this.headers = options.headers ?? {};
  }
}
