import { refuseS3Headers } from '../../../core/http/s3-headers';

test.each([
  ['x-amz-meta-a', 'x-object-meta-<name>'],
  ['x-amz-copy-source', 'send a copy in'],
  ['x-amz-copy-source-range', 'send a copy in'],
  ['x-amz-checksum-crc32', 'Content-Digest'],
  ['x-amz-content-sha256', 'Content-Digest'],
  ['x-amz-server-side-encryption-customer-key', 'the deployment encrypts'],
  ['x-amz-acl', 'permissions'],
  ['x-amz-object-lock-mode', 'cannot be locked'],
  ['x-amz-if-match-size', 'If-Match'],
])('refuses %s with a hint', (name, hint) => {
  expect(() => refuseS3Headers(['host', name])).toThrow(
    expect.objectContaining({
      status: 400,
      message: expect.stringContaining(hint),
      details: expect.objectContaining({ field: name }),
    }),
  );
});

test.each([
  'x-amz-date',
  'x-amz-security-token',
  'x-amz-user-agent',
  'x-amz-cf-id',
  'x-amz-apigw-id',
  'x-amzn-trace-id',
  'x-object-meta-a',
])('accepts %s, which SDKs, signers and AWS add to requests', (name) => {
  expect(() => refuseS3Headers([name])).not.toThrow();
});
