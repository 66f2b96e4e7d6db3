/**
 * Decides whether the caller may perform an operation, with the condition keys of S3:
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html
 */

import { S3Error } from '../protocol/errors';
import { queryValue } from '../protocol/request';
import type { Call } from './call';

export function bucketArn(call: Call): string {
  return `arn:aws:s3:::${call.bucket.options.name}`;
}

export function objectArn(call: Call, key: string = call.key): string {
  return `${bucketArn(call)}/${key}`;
}

/**
 * Throws AccessDenied with IAM's reason. `creates`: whether this call itself creates an object
 * (s3:PutObject only).
 */
export function authorize(call: Call, action: string, resource: string, creates?: boolean): void {
  const reason = denialOf(call, action, resource, creates);
  if (reason !== undefined) throw new S3Error('AccessDenied', { message: reason });
}

/** Returns why the call is denied; undefined when it is allowed. */
export function denialOf(
  call: Call,
  action: string,
  resource: string,
  creates?: boolean,
): string | undefined {
  return call.service.iam.denial(call.caller.principal, {
    action,
    resource,
    context: contextOf(call, creates),
    resourcePolicy: call.bucket.options.policy,
  });
}

function contextOf(call: Call, creates: boolean | undefined): Record<string, string> {
  const { caller, headers, request } = call;
  const context: Record<string, string> = {
    // The emulator's endpoint is plain HTTP, but stands for S3's, which is HTTPS.
    'aws:securetransport': 'true',
    's3:authtype': caller.presigned ? 'REST-QUERY-STRING' : 'REST-HEADER',
    's3:signatureversion': 'AWS4-HMAC-SHA256',
    's3:signatureage': String(Math.max(Date.now() - caller.signedAt, 0)),
    's3:x-amz-content-sha256': caller.payloadHash,
  };
  const optional: readonly (readonly [string, string | undefined])[] = [
    ['s3:if-none-match', headers['if-none-match']],
    ['s3:if-match', headers['if-match']],
    ['s3:x-amz-server-side-encryption', headers['x-amz-server-side-encryption']],
    ['s3:x-amz-storage-class', headers['x-amz-storage-class']],
    ['s3:x-amz-acl', headers['x-amz-acl']],
    ['s3:prefix', queryValue(request, 'prefix')],
    ['s3:delimiter', queryValue(request, 'delimiter')],
    ['s3:max-keys', queryValue(request, 'max-keys')],
    ['s3:objectcreationoperation', creates === undefined ? undefined : String(creates)],
    ['aws:useragent', headers['user-agent']],
    ['aws:referer', headers.referer],
  ];
  for (const [name, value] of optional) if (value !== undefined) context[name] = value;
  return context;
}
