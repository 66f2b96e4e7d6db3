import { GetObjectCommand, PutObjectCommand, S3 } from '@aws-sdk/client-s3';
import { fetch } from 'undici';
import { allowAll } from '../../src/iam/allow-all';
import type { Iam } from '../../src/iam/iam';
import { failure, outcome } from '../contract/s3/failure';
import { presign } from '../contract/s3/presign';
import { exchange, send, signHeaders } from './raw-http';
import { BUCKET, openServer, REGION, type TestServer } from './server';

const SESSION = {
  accessKeyId: 'ASIAROLE',
  secretAccessKey: 'role-secret',
  sessionToken: 'session-token/+==',
};

/** The developer, and a role whose credentials have a token. */
function withSession(until?: number): Iam {
  const iam = allowAll();
  const principal = { arn: 'arn:aws:iam::000000000000:role/reader', root: false };
  return {
    ...iam,
    denial: () => undefined,
    credentials: (id) =>
      id === SESSION.accessKeyId ? { ...SESSION, principal, until } : iam.credentials(id),
  };
}

function clientConfig(server: TestServer, credentials = server.iam.root) {
  return { endpoint: server.endpoint, region: REGION, forcePathStyle: true, credentials };
}

const GET = { method: 'GET', path: `/${BUCKET}/key` };

describe('signature in the header', () => {
  it('accepts a request that is signed now and refuses one that is signed 16 minutes earlier or later', async () => {
    const server = await openServer();
    for (const minutes of [-16, 16]) {
      const date = new Date(Date.now() + minutes * 60_000);
      const headers = await signHeaders(server, GET, { date });
      expect(await exchange(server, GET, headers)).toMatchObject({
        status: 403,
        code: 'RequestTimeTooSkewed',
      });
    }
    const headers = await signHeaders(server, GET);
    expect(await exchange(server, GET, headers)).toMatchObject({ status: 404, code: 'NoSuchKey' });
  });

  it('refuses a signature for another region, and names the right one', async () => {
    const server = await openServer();
    const headers = await signHeaders(server, GET, { region: 'eu-west-1' });
    const refused = await exchange(server, GET, headers);
    expect(refused).toMatchObject({ status: 400, code: 'AuthorizationHeaderMalformed' });
    expect(refused.body).toContain('<Region>us-east-1</Region>');
  });

  it('refuses a request with a missing or changed signed header', async () => {
    const server = await openServer();
    const request = { ...GET, headers: { 'x-amz-meta-colour': 'blue', range: 'bytes=0-1' } };
    const { range: _, ...missing } = await signHeaders(server, request);
    expect(await exchange(server, GET, missing)).toMatchObject({ code: 'SignatureDoesNotMatch' });
    const changed = { ...missing, range: 'bytes=0-2' };
    expect(await exchange(server, GET, changed)).toMatchObject({ code: 'SignatureDoesNotMatch' });
    const whole = { ...missing, range: 'bytes=0-1' };
    expect(await exchange(server, GET, whole)).toMatchObject({ code: 'NoSuchKey' });
  });

  it('refuses an x-amz-* header that is not signed', async () => {
    const server = await openServer();
    const headers = { ...(await signHeaders(server, GET)), 'x-amz-meta-a': 'b' };
    const refused = await exchange(server, GET, headers);
    expect(refused).toMatchObject({ status: 403, code: 'AccessDenied' });
    expect(refused.body).toContain('<HeadersNotSigned>x-amz-meta-a</HeadersNotSigned>');
  });

  it.each([
    ['no x-amz-content-sha256', { 'x-amz-content-sha256': '' }, 'InvalidRequest', 400],
    ['another algorithm', { authorization: 'AWS AKIA:abc' }, 'InvalidRequest', 400],
    ['a torn header', { authorization: 'AWS4-HMAC-SHA256 x' }, 'AuthorizationHeaderMalformed', 400],
    ['no date', { 'x-amz-date': '' }, 'AccessDenied', 403],
    ['an invalid date', { 'x-amz-date': '20269999T999999Z' }, 'AccessDenied', 403],
  ])('refuses %s', async (_, change, code, status) => {
    const server = await openServer();
    const signed: Record<string, string> = { ...(await signHeaders(server, GET)), ...change };
    const headers = Object.fromEntries(Object.entries(signed).filter(([, value]) => value !== ''));
    expect(await exchange(server, GET, headers)).toMatchObject({ status, code });
  });

  it('refuses two signatures at once', async () => {
    const server = await openServer();
    const request = { ...GET, query: { 'X-Amz-Algorithm': 'AWS4-HMAC-SHA256' } };
    const headers = await signHeaders(server, request);
    expect(await exchange(server, request, headers)).toMatchObject({ code: 'InvalidArgument' });
  });

  it('accepts raw, escaped and over-escaped forms of a path as the same key', async () => {
    const server = await openServer();
    const canonicalPath = `/${BUCKET}/a%20b%2Bc%27d`;
    const put = { method: 'PUT', path: canonicalPath, canonicalPath };
    expect((await send(server, put, 'content')).status).toBe(200);
    for (const path of [`/${BUCKET}/a%20b+c'd`, `/${BUCKET}/%61%20b%2bc%27d`]) {
      const got = await send(server, { method: 'GET', path, canonicalPath });
      expect({ path, status: got.status, body: got.body }).toEqual({
        path,
        status: 200,
        body: 'content',
      });
    }
  });
});

describe('session credentials', () => {
  it('are valid only with their token', async () => {
    const server = await openServer({ iam: withSession() });
    const get = async (credentials: { accessKeyId: string; secretAccessKey: string }) => {
      const client = new S3({ ...clientConfig(server, credentials), maxAttempts: 1 });
      const refused = await failure(client.getObject({ Bucket: BUCKET, Key: 'a' }));
      client.destroy();
      return refused.code;
    };
    const { sessionToken: _, ...bare } = SESSION;
    expect(await get(SESSION)).toBe('NoSuchKey');
    expect(await get(bare)).toBe('InvalidAccessKeyId');
    expect(await get({ ...SESSION, sessionToken: 'other' } as typeof SESSION)).toBe('InvalidToken');
  });

  it('sign URLs that S3 refuses when the credentials have ended, before the URLs expire', async () => {
    const answerOf = async (until: number) => {
      const server = await openServer({ iam: withSession(until) });
      const command = new GetObjectCommand({ Bucket: BUCKET, Key: 'a' });
      return outcome(await fetch(await presign(clientConfig(server, SESSION), command)));
    };
    expect(await answerOf(Date.now() + 600_000)).toMatchObject({ code: 'NoSuchKey' });
    expect(await answerOf(Date.now() - 1)).toEqual({ code: 'ExpiredToken', status: 400 });
  });

  it('sign URLs that contain the token', async () => {
    const server = await openServer({ iam: withSession() });
    await server.s3.putObject({ Bucket: BUCKET, Key: 'a', Body: 'a' });
    const command = new GetObjectCommand({ Bucket: BUCKET, Key: 'a' });
    const url = new URL(await presign(clientConfig(server, SESSION), command));
    expect((await fetch(url)).status).toBe(200);
    url.searchParams.set('X-Amz-Security-Token', 'other');
    expect(await outcome(await fetch(url))).toEqual({ code: 'InvalidToken', status: 400 });
  });
});

describe('signature in the query', () => {
  const open = async () => {
    const server = await openServer();
    await server.s3.putObject({ Bucket: BUCKET, Key: 'a', Body: 'a' });
    const sign = (options = {}) =>
      presign(clientConfig(server), new GetObjectCommand({ Bucket: BUCKET, Key: 'a' }), options);
    return { server, sign };
  };

  it('returns the expiry of an expired URL', async () => {
    const { sign } = await open();
    const signingDate = new Date(Date.now() - 301_000);
    const response = await fetch(await sign({ signingDate }));
    const text = await response.text();
    expect(response.status).toBe(403);
    expect(text).toContain('<Code>AccessDenied</Code><Message>Request has expired</Message>');
    expect(text).toContain('<X-Amz-Expires>300</X-Amz-Expires>');
  });

  it('refuses a URL that is not valid yet or is valid for more than a week', async () => {
    const { sign } = await open();
    const signingDate = new Date(Date.now() + 16 * 60_000);
    expect(await outcome(await fetch(await sign({ signingDate })))).toMatchObject({ status: 403 });
    const url = new URL(await sign());
    url.searchParams.set('X-Amz-Expires', '604801');
    expect(await outcome(await fetch(url))).toEqual({
      code: 'AuthorizationQueryParametersError',
      status: 400,
    });
  });

  it('refuses a URL with a missing parameter', async () => {
    const { sign } = await open();
    for (const name of ['Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature']) {
      const url = new URL(await sign());
      url.searchParams.delete(`X-Amz-${name}`);
      expect(await outcome(await fetch(url))).toEqual({
        code: 'AuthorizationQueryParametersError',
        status: 400,
      });
    }
  });

  it('accepts an x-amz-content-sha256 that is not signed', async () => {
    const { sign } = await open();
    const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
    expect((await fetch(await sign(), { headers })).status).toBe(200);
  });

  it('ignores a checksum in the query, as S3 does', async () => {
    const { server } = await open();
    const command = new PutObjectCommand({
      Bucket: BUCKET,
      Key: 'b',
      ChecksumSHA256: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
    });
    const url = await presign(clientConfig(server), command);
    expect(url).toContain('x-amz-checksum-sha256=');
    expect((await fetch(url, { method: 'PUT', body: 'not empty' })).status).toBe(200);
  });
});
