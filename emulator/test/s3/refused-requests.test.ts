import { createHash } from 'node:crypto';
import { send } from './raw-http';
import { BUCKET, openServer } from './server';

describe('request that is not emulated', () => {
  it.each([
    ['GET', '/', {}, 'ListBuckets'],
    ['GET', `/${BUCKET}`, {}, 'ListObjects'],
    ['DELETE', `/${BUCKET}`, {}, 'DeleteBucket'],
    ['GET', `/${BUCKET}`, { policy: '' }, 'GetBucketPolicy'],
    ['PUT', `/${BUCKET}`, { versioning: '' }, 'PutBucketVersioning'],
    ['DELETE', `/${BUCKET}`, { lifecycle: '' }, 'DeleteBucketLifecycleConfiguration'],
    ['GET', `/${BUCKET}`, { versions: '' }, 'ListObjectVersions'],
    ['PUT', `/${BUCKET}/key`, { acl: '' }, 'PutObjectAcl'],
    ['GET', `/${BUCKET}/key`, { tagging: '' }, 'GetObjectTagging'],
    ['POST', `/${BUCKET}/key`, { restore: '' }, 'RestoreObject'],
    ['POST', `/${BUCKET}`, {}, 'PostObject'],
    ['GET', `/${BUCKET}/key`, { versionId: 'abc' }, 'versionId=abc'],
  ])('%s %s %j returns 501, and the message has the name %s', async (method, path, query, name) => {
    const server = await openServer();
    const response = await send(server, { method, path, query });
    expect(response).toMatchObject({ status: 501, code: 'NotImplemented' });
    expect(response.body).toContain(`<Operation>${name}</Operation>`);
  });

  it.each([
    [
      'x-amz-copy-source-server-side-encryption',
      { 'x-amz-copy-source-server-side-encryption-customer-key': 'x' },
    ],
    ['x-amz-server-side-encryption', { 'x-amz-server-side-encryption': 'aws:kms' }],
    ['x-amz-tagging', { 'x-amz-tagging': 'a=b' }],
    ['x-amz-acl', { 'x-amz-acl': 'public-read' }],
    ['x-amz-storage-class', { 'x-amz-storage-class': 'GLACIER' }],
    ['If-None-Match', { 'if-none-match': '"etag"' }],
  ])('a PUT with %s returns 501 and stores nothing', async (name, headers) => {
    const server = await openServer();
    const path = `/${BUCKET}/key`;
    const response = await send(server, { method: 'PUT', path, headers }, 'a');
    expect(response).toMatchObject({ status: 501, code: 'NotImplemented' });
    expect(response.body).toContain(name);
    expect((await send(server, { method: 'GET', path })).status).toBe(404);
  });

  it('a method that S3 does not support returns 405', async () => {
    const server = await openServer();
    const response = await send(server, { method: 'PATCH', path: `/${BUCKET}/key` });
    expect(response).toMatchObject({ status: 405, code: 'MethodNotAllowed' });
  });
});

describe('malformed request', () => {
  it.each([
    ['%ZZ', 'InvalidURI'],
    ['%FF', 'InvalidURI'],
    ['a/../../b', 'InvalidURI'],
    ['%2e%2e/b', 'InvalidURI'],
    ['k/'.repeat(513), 'KeyTooLongError'],
  ])('the key %s returns 400', async (key, code) => {
    const server = await openServer();
    const response = await send(server, { method: 'GET', path: `/${BUCKET}/${key}` });
    expect(response).toMatchObject({ status: 400, code });
  });

  it.each([
    ['<Delete><Object><Key>a</Key></Object>', 'MalformedXML'],
    [
      '<!DOCTYPE a [<!ENTITY b "c">]><Delete><Object><Key>&b;</Key></Object></Delete>',
      'MalformedXML',
    ],
    ['<Other/>', 'MalformedXML'],
    ['<Delete></Delete>', 'MalformedXML'],
    ['<Delete><Object><Key><a/></Key></Object></Delete>', 'MalformedXML'],
    [`<Delete>${'<Object><Key>a</Key></Object>'.repeat(1001)}</Delete>`, 'MalformedXML'],
    ['<Delete><Object><Key>a</Key><VersionId>v</VersionId></Object></Delete>', 'NotImplemented'],
  ])('an XML document is refused (%#)', async (body, code) => {
    const server = await openServer();
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') };
    const request = { method: 'POST', path: `/${BUCKET}`, query: { delete: '' }, headers };
    expect(await send(server, request, body)).toMatchObject({ code });
    const bare = { ...request, headers: {} };
    expect(await send(server, bare, body)).toMatchObject({ code: 'InvalidRequest' });
  });
});

describe('XML that no client library sends', () => {
  it.each([
    ['a member that every object has', '<__proto__><Part/></__proto__>'],
    ['a name of the language', '<constructor>x</constructor>'],
    ['elements without end', '<a>'.repeat(20_000) + '</a>'.repeat(20_000)],
  ])('leads to MalformedXML for %s in each operation that reads XML', async (_, content) => {
    const server = await openServer();
    const key = { Bucket: BUCKET, Key: 'key' };
    const { UploadId = '' } = await server.s3.createMultipartUpload(key);
    const path = `/${BUCKET}/key`;
    const query = { uploadId: UploadId };
    const complete = `<CompleteMultipartUpload>${content}</CompleteMultipartUpload>`;
    const deletion = `<Delete>${content}</Delete>`;
    const headers = { 'content-md5': createHash('md5').update(deletion).digest('base64') };
    for (const response of [
      await send(server, { method: 'POST', path, query }, complete),
      await send(server, { method: 'POST', path, query }, content),
      await send(
        server,
        { method: 'POST', path: `/${BUCKET}`, query: { delete: '' }, headers },
        deletion,
      ),
    ]) {
      expect(response).toMatchObject({ status: 400, code: 'MalformedXML' });
    }
    expect(server.errors).toEqual([]);
  });
});
