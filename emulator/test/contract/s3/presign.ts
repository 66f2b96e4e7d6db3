import {
  S3,
  type S3ClientConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

/**
 * Returns a URL that is valid for 5 minutes. It is signed without the default checksum of the SDK,
 * which would be that of an empty body.
 */
export function presign<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  config: S3ClientConfig,
  command: Parameters<typeof getSignedUrl<ServiceInputTypes, Input, Output>>[1],
  options: Parameters<typeof getSignedUrl>[2] = {},
): Promise<string> {
  const signer = new S3({ ...config, requestChecksumCalculation: 'WHEN_REQUIRED' });
  return getSignedUrl(signer, command, { expiresIn: 300, ...options });
}
