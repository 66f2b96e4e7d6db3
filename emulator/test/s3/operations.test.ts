import { S3 } from '@aws-sdk/client-s3';
import { abortExpired } from '../../src/services/s3/lifecycle';
import { BucketStore } from '../../src/services/s3/storage/store';
import { failure } from '../contract/s3/failure';
import { exchange, send, signHeaders } from './raw-http';
import { BUCKET, openServer } from './server';

describe('responses', () => {
  it('have a request id, and errors also have the resource', async () => {
    const server = await openServer();
    const response = await send(server, { method: 'GET', path: `/${BUCKET}/a%20b` });
    expect(response.headers['x-amz-request-id']).toMatch(/^[0-9A-F]{16}$/);
    expect(response.headers['content-type']).toBe('application/xml');
    expect(response.body).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<Error><Code>NoSuchKey<\/Code><Message>/,
    );
    expect(response.body).toContain(`<Resource>/${BUCKET}/a%20b</Resource>`);
  });

  it('have the headers of signed parameters, which must not contain line ends', async () => {
    const server = await openServer();
    const path = `/${BUCKET}/key`;
    await send(server, { method: 'PUT', path }, 'a');
    const names = [
      'cache-control',
      'content-disposition',
      'content-encoding',
      'content-language',
      'content-type',
      'expires',
    ];
    const query = Object.fromEntries(names.map((name) => [`response-${name}`, `x-${name}`]));
    const response = await send(server, { method: 'GET', path, query });
    for (const name of names) expect(response.headers[name]).toBe(`x-${name}`);
    const split = { 'response-content-type': 'text/html\r\nset-cookie: a=b' };
    const refused = await send(server, { method: 'GET', path, query: split });
    expect(refused).toMatchObject({ status: 400, code: 'InvalidArgument' });
  });

  it('encode metadata that is not ASCII as in the S3 documentation', async () => {
    // https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
    const server = await openServer();
    const path = `/${BUCKET}/key`;
    const value = 'ÄMÄZÕÑ S3';
    const hash = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
    const request = { method: 'PUT', path, headers: { ...hash, 'x-amz-meta-nonascii': value } };
    const headers = await signHeaders(server, request);
    expect((await exchange(server, request, headers, 'a')).status).toBe(200);
    const response = await send(server, { method: 'GET', path });
    expect(response.headers['x-amz-meta-nonascii']).toBe(
      '=?UTF-8?B?w4PChE3Dg8KEWsODwpXDg8KRIFMz?=',
    );
  });

  it('return metadata with any name', async () => {
    const server = await openServer();
    const path = `/${BUCKET}/key`;
    const headers = { 'x-amz-meta-__proto__': 'a', 'x-amz-meta-constructor': 'b' };
    await send(server, { method: 'PUT', path, headers }, 'a');
    expect((await send(server, { method: 'GET', path })).headers).toMatchObject(headers);
    const again = await server.restart();
    expect((await send(again, { method: 'GET', path })).headers).toMatchObject(headers);
  });

  it('have the headers of the object when the status is 304', async () => {
    const server = await openServer();
    const path = `/${BUCKET}/key`;
    const { headers } = await send(server, { method: 'PUT', path }, 'a');
    const condition = { 'if-none-match': headers.etag ?? '' };
    const response = await send(server, { method: 'GET', path, headers: condition });
    expect(response).toMatchObject({ status: 304, body: '' });
    expect(response.headers.etag).toBe(headers.etag);
    expect(response.headers['last-modified']).toBeDefined();
  });

  it('have a range only while If-Range names the stored object', async () => {
    const server = await openServer();
    const path = `/${BUCKET}/key`;
    const { headers } = await send(server, { method: 'PUT', path }, '0123456789');
    const get = (ifRange: string) =>
      send(server, { method: 'GET', path, headers: { range: 'bytes=0-1', 'if-range': ifRange } });
    expect(await get(headers.etag ?? '')).toMatchObject({ status: 206, body: '01' });
    expect(await get('"other"')).toMatchObject({ status: 200, body: '0123456789' });
    const { headers: read } = await send(server, { method: 'GET', path });
    expect(await get(read['last-modified'] ?? '')).toMatchObject({ status: 206 });
    expect(await get('Thu, 01 Jan 1970 00:00:00 GMT')).toMatchObject({ status: 200 });
  });

  it('have the region in GetBucketLocation, except us-east-1', async () => {
    for (const [region, location] of [
      ['us-east-1', undefined],
      ['eu-west-1', 'eu-west-1'],
    ] as const) {
      const server = await openServer({ region });
      const { endpoint, iam } = server;
      const config = { endpoint, region, credentials: iam.root, forcePathStyle: true };
      const s3 = new S3(config);
      const response = await s3.getBucketLocation({ Bucket: BUCKET });
      expect(response.LocationConstraint || undefined).toBe(location);
      s3.destroy();
    }
  });
});

it('aborts expired multipart uploads by prefix', async () => {
  const server = await openServer();
  for (const Key of ['uploads/a', 'other/b']) {
    await server.s3.createMultipartUpload({ Bucket: BUCKET, Key });
  }
  await server.stop();
  const store = new BucketStore(BUCKET, `${server.dataDir}/${BUCKET}`, () => {});
  const lifecycle = [{ prefix: 'uploads/', daysAfterInitiation: 1 }];
  const bucket = { options: { name: BUCKET, lifecycle }, store };
  const keys = () => [...store.uploads()].map(({ key }) => key);
  const day = 24 * 60 * 60 * 1000;
  abortExpired(bucket, Date.now() + day - 60_000);
  expect(keys()).toEqual(['uploads/a', 'other/b']);
  abortExpired(bucket, Date.now() + day + 60_000);
  expect(keys()).toEqual(['other/b']);
  store.close();
});

it('lists multipart uploads of the same and of other keys in pages', async () => {
  const { s3 } = await openServer();
  for (const Key of ['a', 'a', 'b', 'c']) {
    await s3.createMultipartUpload({ Bucket: BUCKET, Key });
  }
  const seen = new Set<string | undefined>();
  let marker: { KeyMarker?: string; UploadIdMarker?: string } = {};
  for (let page = 1, more = true; more; page += 1) {
    const list = { Bucket: BUCKET, MaxUploads: 1, ...marker };
    const response = await s3.listMultipartUploads(list);
    for (const { UploadId } of response.Uploads ?? []) seen.add(UploadId);
    marker = { KeyMarker: response.NextKeyMarker, UploadIdMarker: response.NextUploadIdMarker };
    more = response.IsTruncated === true;
    expect(page).toBeLessThan(6);
  }
  expect(seen.size).toBe(4);
});

it('returns an empty list for max-keys=0, and refuses a negative number', async () => {
  const { s3 } = await openServer();
  await s3.putObject({ Bucket: BUCKET, Key: 'a', Body: 'a' });
  const list = (MaxKeys: number) => s3.listObjectsV2({ Bucket: BUCKET, MaxKeys });
  expect(await list(0)).toMatchObject({ KeyCount: 0, IsTruncated: false, MaxKeys: 0 });
  expect((await list(5000)).MaxKeys).toBe(1000);
  expect(await failure(list(-1))).toEqual({ code: 'InvalidArgument', status: 400 });
});

it('returns the checksum with the whole object only', async () => {
  const { s3 } = await openServer();
  const object = { Bucket: BUCKET, Key: 'a' };
  await s3.putObject({ ...object, Body: 'abc', ChecksumAlgorithm: 'SHA256' });
  const read = { ...object, ChecksumMode: 'ENABLED' } as const;
  expect((await s3.headObject(read)).ChecksumSHA256).toBeDefined();
  const ranged = await s3.getObject({ ...read, Range: 'bytes=0-0' });
  expect(ranged.ChecksumSHA256).toBeUndefined();
});
