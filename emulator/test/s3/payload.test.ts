import { createHash } from 'node:crypto';
import { until } from '../support/until';
import { exchange, head, RawConnection, send, signHeaders } from './raw-http';
import { BUCKET, openServer } from './server';
import { content, dataFiles, expectNothingStored } from './stored';

const PUT = { method: 'PUT', path: `/${BUCKET}/key` };

describe('length of a body', () => {
  it('is required', async () => {
    const server = await openServer();
    const request = {
      ...PUT,
      headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'transfer-encoding': 'chunked' },
    };
    const headers = await signHeaders(server, request);
    const refused = await exchange(server, PUT, headers, '1\r\na\r\n0\r\n\r\n');
    expect(refused).toMatchObject({ status: 411, code: 'MissingContentLength' });
    await expectNothingStored(server);
  });

  it('must match the body, so that an interrupted upload stores nothing', async () => {
    const server = await openServer();
    const request = { ...PUT, headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } };
    const headers = await signHeaders(server, request);
    const connection = new RawConnection(server);
    connection.write(head(PUT, { ...headers, 'content-length': '300000' }));
    connection.write(Buffer.alloc(200_000));
    await until(() => dataFiles(server).length === 1);
    connection.socket.destroy();
    await expectNothingStored(server);
  });

  it('is at most 5 GiB', async () => {
    const server = await openServer();
    const request = { ...PUT, headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } };
    const headers = await signHeaders(server, request);
    const length = { ...headers, 'content-length': String(5 * 1024 ** 3 + 1) };
    expect(await exchange(server, PUT, length)).toMatchObject({ code: 'EntityTooLarge' });
  });
});

describe('hash of a body', () => {
  it('is verified', async () => {
    const server = await openServer();
    const hash = createHash('sha256').update('right').digest('hex');
    const request = { ...PUT, headers: { 'x-amz-content-sha256': hash } };
    expect(await send(server, request, 'wrong')).toMatchObject({
      status: 400,
      code: 'XAmzContentSHA256Mismatch',
    });
    await expectNothingStored(server);
    expect(await send(server, request, 'right')).toMatchObject({ status: 200 });
  });

  it.each(['', 'abc', 'STREAMING-SOMETHING-ELSE'])('cannot be %j', async (hash) => {
    const server = await openServer();
    const request = { ...PUT, headers: { 'x-amz-content-sha256': hash } };
    expect(await send(server, request, 'a')).toMatchObject({
      status: 400,
      code: 'InvalidArgument',
    });
  });

  it.each([
    ['two checksums', { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-sha1': 'AA==' }],
    ['an invalid checksum', { 'x-amz-checksum-crc32': 'AAAA' }],
    ['an announced checksum that is missing', { 'x-amz-sdk-checksum-algorithm': 'CRC32' }],
  ])('cannot be combined with %s', async (_, headers) => {
    const server = await openServer();
    const refused = await send(server, { ...PUT, headers }, 'a');
    expect(refused).toMatchObject({ status: 400, code: 'InvalidRequest' });
    await expectNothingStored(server);
  });
});

describe('100 (Continue)', () => {
  const expecting = { expect: '100-continue' };

  it('is sent before the body when the head of the request is valid', async () => {
    const server = await openServer();
    const request = { ...PUT, headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } };
    const headers = { ...(await signHeaders(server, request)), 'content-length': '4' };
    const connection = new RawConnection(server);
    connection.write(head(PUT, { ...headers, ...expecting }));
    await until(() => connection.received.includes('100 Continue'));
    connection.write('body');
    expect((await connection.response()).status).toBe(200);
    connection.socket.destroy();
    expect(await content(server)).toBe('body');
  });

  it('is not sent for a wrong signature or a condition that does not hold', async () => {
    const server = await openServer();
    await send(server, PUT, 'first');
    const request = {
      ...PUT,
      headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'if-none-match': '*' },
    };
    const headers = { ...(await signHeaders(server, request)), 'content-length': '4' };
    for (const [change, code] of [
      [{}, 'PreconditionFailed'],
      [{ 'if-none-match': 'x' }, 'SignatureDoesNotMatch'],
    ] as const) {
      const connection = new RawConnection(server);
      connection.write(head(PUT, { ...headers, ...expecting, ...change }));
      const refused = await connection.response();
      expect(refused.code).toBe(code);
      expect(refused.headers.connection).toBe('close');
      expect(connection.received).not.toContain('100 Continue');
      await until(() => connection.closed);
    }
    expect(await content(server)).toBe('first');
  });
});

it('returns an error and accepts the next request on the same connection', async () => {
  const server = await openServer();
  const headers = await signHeaders(server, PUT);
  const connection = new RawConnection(server);
  connection.write(`${head(PUT, { ...headers, 'content-length': '4' })}body`);
  expect((await connection.response()).code).toBe('XAmzContentSHA256Mismatch');
  connection.received = '';
  const get = { method: 'GET', path: `/${BUCKET}/key` };
  connection.write(head(get, await signHeaders(server, get)));
  expect((await connection.response()).code).toBe('NoSuchKey');
  connection.socket.destroy();
});
