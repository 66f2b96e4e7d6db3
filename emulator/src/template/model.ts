/** A synthesized stack after every intrinsic function has been resolved. */
export interface ResolvedResource {
  readonly logicalId: string;
  /** `AWS::S3::Bucket` */
  readonly type: string;
  /** Plain JSON, without intrinsic functions. */
  readonly properties: Readonly<Record<string, unknown>>;
  /**
   * The value of `Ref`: a table's or bucket's name, a role's name, a REST API's id … The same for
   * the same stack name and logical id.
   */
  readonly physicalId: string;
  /** `Fn::GetAtt … Arn`, for types that have one. */
  readonly arn?: string;
  /** `Fn::GetAtt … FunctionUrl` of a function's URL. */
  readonly functionUrl?: string;
  readonly dependsOn: readonly string[];
}

export interface ResolvedStack {
  readonly stackName: string;
  /** `us-east-1` */
  readonly region: string;
  /** `000000000000` */
  readonly accountId: string;
  readonly resources: ReadonlyMap<string, ResolvedResource>;
  readonly outputs: Readonly<Record<string, string>>;
  /** Absolute folder of a file or zip asset by its S3 key, for `Code: {S3Bucket, S3Key}`. */
  readonly assetPath: (s3Key: string) => string;
}
