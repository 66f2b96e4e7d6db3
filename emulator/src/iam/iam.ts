/** Authenticates and authorizes calls of the emulated services. */

/** Long-lived or session credentials, as for the AWS SDK. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * The caller behind an access key: a role of the template, or the developer (`root`), who may do
 * anything.
 */
export interface Principal {
  readonly arn: string;
  readonly root: boolean;
}

export interface KnownCredentials extends Credentials {
  readonly principal: Principal;
  /** The end of the credentials, in epoch milliseconds. Absent: they do not end. */
  readonly until?: number;
}

/** An IAM policy document without intrinsic functions. */
export interface PolicyDocument {
  readonly Statement: readonly PolicyStatement[];
}

export interface PolicyStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action?: string | readonly string[];
  readonly NotAction?: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Principal?: unknown;
  readonly Condition?: Readonly<
    Record<string, Readonly<Record<string, string | readonly string[]>>>
  >;
}

export interface AccessRequest {
  /** `s3:PutObject` */
  readonly action: string;
  /** ARN */
  readonly resource: string;
  /**
   * Condition keys, lower-case: `s3:if-none-match`. An absent key is Null; several values only for
   * keys that IAM calls multivalued (`dynamodb:leadingkeys`). `aws:securetransport` and
   * `aws:principalarn` are added by Iam.
   */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
  /** The policy of the resource. */
  readonly resourcePolicy?: PolicyDocument;
}

export interface Iam {
  /**
   * Returns undefined for an unknown access key. Used to verify SigV4. `sessionToken` of the result
   * is `token` if that is a token of the access key.
   */
  credentials(accessKeyId: string, token?: string): KnownCredentials | undefined;
  /**
   * Credentials of a role, stable for this run. With `until` (epoch milliseconds) they end then.
   * Throws when the template has no such role.
   */
  credentialsForRole(roleArn: string, until?: number): Credentials;
  /** Credentials of the developer, who may do anything that a resource policy does not deny. */
  readonly root: Credentials;
  /**
   * Returns undefined when the call is allowed, else AWS's message: `User: … is not authorized to
   * perform: … on resource: …`.
   */
  denial(principal: Principal, request: AccessRequest): string | undefined;
}
