import { createHash, randomBytes } from 'node:crypto';
import { getSigningKey } from '@smithy/signature-v4';
import { startTableCrc32 } from '../../src/services/s3/payload/crc';
import { type ChunkSigner, createChunkSigner } from '../../src/services/s3/signature/chunk-signer';
import { NodeSha256 } from '../support/node-sha256';
import { exchange, head, RawConnection, type RawRequest, signHeaders } from './raw-http';
import { BUCKET, openServer, REGION, type TestServer } from './server';
import { expectNothingStored } from './stored';

const PUT = { method: 'PUT', path: `/${BUCKET}/key` };

/** Frames a body as the specification of signatures defines. */
function frame(chunks: readonly Buffer[], sign?: ChunkSigner): Buffer {
  return Buffer.concat(
    [...chunks, Buffer.alloc(0)].flatMap((chunk) => {
      const signature = sign?.signChunk(createHash('sha256').update(chunk).digest('hex'));
      const extension = signature === undefined ? '' : `;chunk-signature=${signature}`;
      const line = Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`);
      return chunk.length === 0 ? [line] : [line, chunk, Buffer.from('\r\n')];
    }),
  );
}

const SIGNED = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
const UNSIGNED_TRAILER = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';

async function open(
  kind: string,
  size: number,
  extra: Record<string, string> = {},
): Promise<{
  server: TestServer;
  request: RawRequest;
  headers: Record<string, string>;
  signer: ChunkSigner;
}> {
  const server = await openServer();
  const request = {
    ...PUT,
    headers: {
      'x-amz-content-sha256': kind,
      'x-amz-decoded-content-length': String(size),
      'content-encoding': 'aws-chunked',
      ...extra,
    },
  };
  const headers = await signHeaders(server, request);
  const date = headers['x-amz-date'] ?? '';
  const day = date.slice(0, 8);
  const signer = createChunkSigner(
    {
      date,
      scope: `${day}/${REGION}/s3/aws4_request`,
      key: await getSigningKey(NodeSha256, server.iam.root, day, REGION, 's3'),
      seed: /Signature=(\w+)/.exec(headers.authorization ?? '')?.[1] ?? '',
    },
    kind.endsWith('TRAILER'),
  );
  return { server, request, headers, signer };
}

describe('an aws-chunked body', () => {
  const chunks = [randomBytes(8192), randomBytes(10_000), Buffer.from('the end')];
  const whole = Buffer.concat(chunks);

  it('is accepted when every chunk is signed, in whatever pieces it arrives', async () => {
    const { server, headers, signer } = await open(SIGNED, whole.length);
    const body = Buffer.concat([frame(chunks, signer), Buffer.from('\r\n')]);
    const connection = new RawConnection(server);
    connection.socket.setNoDelay(true);
    connection.write(head(PUT, { ...headers, 'content-length': String(body.length) }));
    for (let at = 0; at < body.length; at += 1777) connection.write(body.subarray(at, at + 1777));
    expect((await connection.response()).status).toBe(200);
    connection.socket.destroy();
    const got = await server.s3.getObject({ Bucket: BUCKET, Key: 'key' });
    expect(got.ContentEncoding).toBeUndefined();
    const bytes = (await got.Body?.transformToByteArray()) ?? Buffer.alloc(0);
    expect(whole.equals(bytes)).toBe(true);
  });

  it('is refused when a chunk was changed, is missing, or is not signed', async () => {
    const changes: Record<string, (frames: Buffer) => Buffer> = {
      changed: (frames) => {
        const copy = Buffer.from(frames);
        copy[200] = (copy[200] ?? 0) ^ 1;
        return copy;
      },
      unsigned: () => frame(chunks),
    };
    for (const change of Object.values(changes)) {
      const { server, headers, signer } = await open(SIGNED, whole.length);
      const body = Buffer.concat([change(frame(chunks, signer)), Buffer.from('\r\n')]);
      const refused = await exchange(server, PUT, headers, body);
      expect(refused).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
      await expectNothingStored(server);
    }
  });

  it.each([
    ['ends early', () => frame(chunks).subarray(0, -20), 'IncompleteBody'],
    ['has no last chunk', () => frame(chunks).subarray(0, -3), 'IncompleteBody'],
    [
      'is longer than announced',
      () => frame([...chunks, Buffer.from('x')]),
      'InvalidChunkSizeError',
    ],
    ['has an invalid length', () => Buffer.from('zz\r\nabc\r\n0\r\n\r\n'), 'IncompleteBody'],
    ['has a line without end', () => Buffer.alloc(10_000, 'a'), 'IncompleteBody'],
    [
      'has a small chunk in the middle',
      () => frame([Buffer.alloc(100), whole]),
      'InvalidChunkSizeError',
    ],
  ])('is refused when it %s', async (_, body, code) => {
    const { server, headers } = await open(UNSIGNED_TRAILER, whole.length);
    const response = await exchange(
      server,
      PUT,
      headers,
      Buffer.concat([body(), Buffer.from('\r\n')]),
    );
    expect(response.code).toBe(code);
    await expectNothingStored(server);
  });

  const crc = () => {
    const running = startTableCrc32();
    running.update(whole);
    return running.digest().toString('base64');
  };

  it.each([
    ['the right checksum', () => `x-amz-checksum-crc32:${crc()}\r\n\r\n`, 200, undefined],
    ['another checksum', () => 'x-amz-checksum-crc32:AAAAAA==\r\n\r\n', 400, 'BadDigest'],
    ['no checksum', () => '\r\n', 400, 'MalformedTrailerError'],
    ['something else', () => 'nonsense\r\n\r\n', 400, 'MalformedTrailerError'],
  ])('is checked against its trailers: %s', async (_, trailer, status, code) => {
    const announced = { 'x-amz-trailer': 'x-amz-checksum-crc32' };
    const { server, headers } = await open(UNSIGNED_TRAILER, whole.length, announced);
    const body = Buffer.concat([frame(chunks), Buffer.from(trailer())]);
    const response = await exchange(server, PUT, headers, body);
    expect({ status: response.status, code: response.code }).toEqual({ status, code });
    if (status !== 200) await expectNothingStored(server);
  });

  it('has signed trailers', async () => {
    const announced = { 'x-amz-trailer': 'x-amz-checksum-crc32' };
    for (const [tamper, status] of [
      [false, 200],
      [true, 403],
    ] as const) {
      const opened = await open(`${SIGNED}-TRAILER`, whole.length, announced);
      const frames = frame(chunks, opened.signer);
      const signature = opened.signer.signTrailer(`x-amz-checksum-crc32:${crc()}\n`);
      const sent = tamper
        ? signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
        : signature;
      const trailer = `x-amz-checksum-crc32:${crc()}\r\nx-amz-trailer-signature:${sent}\r\n\r\n`;
      const body = Buffer.concat([frames, Buffer.from(trailer)]);
      const response = await exchange(opened.server, PUT, opened.headers, body);
      expect(response.status).toBe(status);
    }
  });
});

it('signs the chunks of the example in the S3 documentation', () => {
  // https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  return getSigningKey(
    NodeSha256,
    {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    },
    '20130524',
    'us-east-1',
    's3',
  ).then((key) => {
    const signer = createChunkSigner(
      {
        date: '20130524T000000Z',
        scope: '20130524/us-east-1/s3/aws4_request',
        key,
        seed: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
      },
      false,
    );
    expect(
      [65536, 1024, 0].map((size) => signer.signChunk(sha256(Buffer.alloc(size, 'a')))),
    ).toEqual([
      'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
      '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
      'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
    ]);
  });
});
