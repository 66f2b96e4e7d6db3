import { S3Presigner } from '../../../../lambdas/shared/s3/presigner';
import { connectS3 } from '../../../../lambdas/shared/s3/s3-connection';

const original = { ...process.env };

beforeEach(() => {
  Object.assign(process.env, {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
  });
});
afterEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, original);
});

async function signedPut(): Promise<URL> {
  const presigner = new S3Presigner(connectS3(), 'content');
  return new URL((await presigner.presignPut('a', { expiresIn: 60 })).url);
}

test('an S3 URL has the bucket in its host without an endpoint override', async () => {
  expect((await signedPut()).href).toMatch(
    /^https:\/\/content\.s3\.eu-west-1\.amazonaws\.com\/a\?/,
  );
});

test.each(['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'])(
  'an S3 URL has the bucket in its path with %s',
  async (name) => {
    process.env[name] = 'http://127.0.0.1:4566';

    expect((await signedPut()).href).toMatch(/^http:\/\/127\.0\.0\.1:4566\/content\/a\?/);
  },
);
