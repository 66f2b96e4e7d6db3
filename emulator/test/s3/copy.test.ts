/** What only AWS and the emulator do in a copy; the rest is in the S3 contract. */
import { failure } from '../contract/s3/failure';
import { send } from './raw-http';
import { BUCKET, openServer } from './server';

const PATH = `/${BUCKET}/copy`;

async function withSource(size = 5) {
  const server = await openServer({ buckets: [{ name: BUCKET }, { name: 'other' }] });
  const object = { Bucket: 'other', Key: 'a+b', Body: Buffer.alloc(size, 'x') };
  await server.s3.putObject(object);
  const copy = (source: string, headers: Readonly<Record<string, string>> = {}) =>
    send(server, {
      method: 'PUT',
      path: PATH,
      headers: { 'x-amz-copy-source': source, ...headers },
    });
  return { server, copy };
}

it.each(['/other/a%2Bb', 'other/a%2Bb', 'other%2Fa%2Bb'])(
  'the source may be %s',
  async (source) => {
    const { server, copy } = await withSource();
    expect((await copy(source)).status).toBe(200);
    expect(server.events.at(-1)).toMatchObject({ eventName: 'ObjectCreated:Copy', key: 'copy' });
  },
);

it.each([
  ['other/a+b', 404, 'NoSuchKey'],
  ['nowhere/a', 404, 'NoSuchBucket'],
  ['other', 400, 'InvalidArgument'],
  ['other/', 400, 'InvalidArgument'],
  ['other/%FF', 400, 'InvalidArgument'],
  ['other/a%2Bb?versionId=1', 501, 'NotImplemented'],
])('the source %s is refused with %i %s', async (source, status, code) => {
  const { copy } = await withSource();
  expect(await copy(source)).toMatchObject({ status, code });
});

it('a copy with If-None-Match does not replace an object', async () => {
  const { server, copy } = await withSource();
  await send(server, { method: 'PUT', path: PATH }, 'first');
  const refused = await copy('other/a%2Bb', { 'if-none-match': '*' });
  expect(refused).toMatchObject({ status: 412, code: 'PreconditionFailed' });
  expect((await send(server, { method: 'GET', path: PATH })).body).toBe('first');
});

it('an error while a large object is copied is in the body of a 200', async () => {
  const { server } = await withSource(200_000);
  const object = { Bucket: BUCKET, Key: 'copy', CopySource: 'other/a%2Bb', IfNoneMatch: '*' };
  const racing = [1, 2].map(() => server.s3.copyObject(object));
  const outcomes = await Promise.allSettled(racing);
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.name] : []));
  expect(refused).toEqual(['PreconditionFailed']);
  expect(server.errors).toEqual([]);
  // The SDK makes a 503 of it, so that it is repeated.
  const [reason] = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(reason?.$metadata.httpStatusCode).toBe(503);
});

it.each([
  ['bytes=0-9', 100, 'InvalidRequest'],
  ['bytes=0-', 6_000_000, 'InvalidArgument'],
  ['bytes=5-4', 6_000_000, 'InvalidArgument'],
  ['bytes=0-6000000', 6_000_000, 'InvalidArgument'],
])('the part %s of %i bytes is refused with 400 %s', async (CopySourceRange, size, code) => {
  const { server } = await withSource(size);
  const object = { Bucket: BUCKET, Key: 'parts' };
  const { UploadId } = await server.s3.createMultipartUpload(object);
  const part = { ...object, UploadId, PartNumber: 1, CopySource: 'other/a%2Bb', CopySourceRange };
  const refused = failure(server.s3.uploadPartCopy(part));
  expect(await refused).toEqual({ code, status: 400 });
});

it('a copy needs the permission to read its source', async () => {
  const { server } = await withSource();
  const policy = {
    Statement: [
      {
        Effect: 'Deny' as const,
        Principal: '*',
        Action: 's3:GetObject',
        Resource: 'arn:aws:s3:::closed/*',
      },
    ],
  };
  await server.stop();
  const again = await openServer({
    buckets: [{ name: BUCKET }, { name: 'closed', policy }],
    iam: server.iam,
  });
  await again.s3.putObject({ Bucket: 'closed', Key: 'a', Body: 'a' });
  const copy = again.s3.copyObject({ Bucket: BUCKET, Key: 'copy', CopySource: 'closed/a' });
  expect(await failure(copy)).toEqual({ code: 'AccessDenied', status: 403 });
});
