import { createSigner } from '../../../adapters/aws/signer';

/**
 * "Example: GET Object" of
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
test('the signer signs the example of the S3 documentation', async () => {
  const signer = createSigner({
    service: 's3',
    region: 'us-east-1',
    uriEscapePath: false,
    credentials: () => ({
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    }),
  });
  const hostname = 'examplebucket.s3.amazonaws.com';
  const headers = { host: hostname, range: 'bytes=0-9' };
  const request = { method: 'GET', protocol: 'https:', hostname, path: '/test.txt', headers };

  const signed = await signer.sign(request, { signingDate: new Date('2013-05-24T00:00:00Z') });

  expect(signed.headers.authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
      'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, ' +
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});
