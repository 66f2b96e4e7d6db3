/** Rare responses of S3, sent by a scripted server. The usual ones are in test/contract. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { S3Client } from '@aws-sdk/client-s3';
import { S3Blobs } from '../../../adapters/s3/blobs';
import { createS3Client } from '../../../lambdas/runtime/aws-clients';
import {
  type ScriptedResponse,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/scripted-server';

const PROPERTIES = { contentType: 'text/plain', headers: {}, metadata: {}, checksumSha256: 'c3Vt' };
const OURS: ScriptedResponse = {
  status: 200,
  headers: { etag: '"abc"', 'content-length': '5', 'x-amz-checksum-sha256': 'c3Vt' },
};

describe('put', () => {
  test.each([
    ['PreconditionFailed', 412],
    ['ConditionalRequestConflict', 409],
  ])(
    'returns the ETag after %s when an earlier attempt stored the same bytes',
    async (code, status) => {
      await withScript(['reset', s3Error(code, status), OURS], async (blobs, server) => {
        expect(await blobs.put('blob', Buffer.from('hello'), PROPERTIES)).toEqual({ etag: 'abc' });
        expect(server.received.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'HEAD']);
      });
    },
  );

  test('throws when the blob exists with other bytes', async () => {
    const theirs = { ...OURS, headers: { ...OURS.headers, 'x-amz-checksum-sha256': 'b3RoZXI=' } };

    await withScript([s3Error('PreconditionFailed', 412), theirs], async (blobs) => {
      await expect(blobs.put('blob', Buffer.from('hello'), PROPERTIES)).rejects.toThrow(
        'PreconditionFailed',
      );
    });
  });

  test('throws when S3 reports a conflict but has no blob', async () => {
    const script = [s3Error('ConditionalRequestConflict', 409), { status: 404 }];

    await withScript(script, async (blobs) => {
      await expect(blobs.put('blob', Buffer.from('hello'), PROPERTIES)).rejects.toThrow();
    });
  });

  test('sends the bytes once, unframed, with our checksum and condition', async () => {
    await withScript([{ status: 200, headers: { etag: '"abc"' } }], async (blobs, server) => {
      await blobs.put('a/ä', Buffer.from('hello'), PROPERTIES);

      expect(server.received).toEqual([expect.objectContaining({ method: 'PUT', body: 'hello' })]);
      const [request] = server.received;
      expect(request?.path).toMatch(/^\/content\/a\/%C3%A4(\?|$)/);
      expect(request?.headers).toMatchObject({
        'content-length': '5',
        'content-type': 'text/plain',
        'if-none-match': '*',
        'x-amz-checksum-sha256': 'c3Vt',
      });
      expect(request?.headers).not.toHaveProperty('x-amz-checksum-crc32');
      expect(request?.headers).not.toHaveProperty('content-encoding');
    });
  });
});

describe('get and head', () => {
  test.each([
    ['NoSuchBucket', 404],
    ['AccessDenied', 403],
    ['InvalidRange', 416],
  ])('get throws after %s', async (code, status) => {
    await withScript([s3Error(code, status)], async (blobs) => {
      await expect(blobs.get('blob')).rejects.toThrow(code);
    });
  });

  test.each([
    ['NoSuchKey', 404],
    ['NotFound', 404],
  ])('get returns nothing after %s', async (code, status) => {
    await withScript([s3Error(code, status)], async (blobs) => {
      expect(await blobs.get('blob')).toBeUndefined();
    });
  });

  test('head returns nothing of a missing blob, and throws after any other status', async () => {
    await withScript([{ status: 404 }], async (blobs) => {
      expect(await blobs.head('blob')).toBeUndefined();
    });
    const headers = { 'x-amz-request-id': 'request-1' };
    await withScript([{ status: 403, headers }], async (blobs) => {
      const refused = { httpStatusCode: 403, requestId: 'request-1' };
      await expect(blobs.head('blob')).rejects.toMatchObject({ $metadata: refused });
    });
  });

  test('a body that is destroyed closes the connection to S3', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const server = createServer((_, response) => {
      closed = once(response, 'close');
      response.writeHead(200, { 'content-length': '1000000' });
      response.write('the beginning');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no address');
    const client = clientOf(`http://127.0.0.1:${address.port}`);
    try {
      const body = await new S3Blobs(client, 'content').get('blob');
      body?.destroy();
      await closed;
      expect(body?.destroyed).toBe(true);
    } finally {
      client.destroy();
      server.close();
    }
  });

  test('a body that breaks off ends its stream with an error, and is not requested again', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests++;
      response.writeHead(200, { 'content-length': '1000000' });
      response.write('the beginning', () => response.socket?.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no address');
    const client = clientOf(`http://127.0.0.1:${address.port}`);
    try {
      const body = await new S3Blobs(client, 'content').get('blob');
      await expect(async () => {
        for await (const _ of body ?? []) {
          // Read on until it breaks.
        }
      }).rejects.toThrow('aborted');
      expect(requests).toBe(1);
    } finally {
      client.destroy();
      server.close();
    }
  });
});

describe('remove', () => {
  test('throws the number of blobs that S3 did not delete when a name has markup', async () => {
    const error = '<Error><Key>a&lt;b&#x26;&amp;</Key><Code>AccessDenied</Code></Error>';
    const kept = { status: 200, body: `<DeleteResult>${error}${error}</DeleteResult>` };

    await withScript([kept], async (blobs, server) => {
      await expect(blobs.remove(['a<b&&', '"c"'])).rejects.toThrow(
        'S3 did not delete 2 blobs; a<b&&: AccessDenied',
      );
      expect(server.received[0]?.body).toContain('<Key>a&lt;b&amp;&amp;</Key>');
    });
  });

  test('throws when S3 does not delete a blob', async () => {
    const error = '<Error><Key>b</Key><Code>InternalError</Code><Message>later</Message></Error>';
    const kept = { status: 200, body: `<DeleteResult>${error}</DeleteResult>` };

    await withScript([kept], async (blobs) => {
      await expect(blobs.remove(['a', 'b'])).rejects.toThrow(
        'S3 did not delete 1 blobs; b: InternalError',
      );
    });
  });

  test('takes as many blobs as S3 does, and no more', async () => {
    const names = Array.from({ length: 1001 }, (_, n) => `b${n}`);
    await withScript([{ status: 200, body: '<DeleteResult/>' }], async (blobs, server) => {
      await expect(blobs.remove(names)).rejects.toThrow(RangeError);
      await blobs.remove(names.slice(1));
      expect(server.received).toHaveLength(1);
      expect(server.received[0]?.body.split('<Object>')).toHaveLength(1001);
    });
  });

  test('sends no request for no blobs, and none of a batch for keys that XML cannot contain', async () => {
    await withScript([{ status: 204 }], async (blobs, server) => {
      await blobs.remove([]);
      await blobs.remove(['x\uFFFE']);
      expect(server.received.map(({ method }) => method)).toEqual(['DELETE']);
    });
  });

  test('deletes a key that XML cannot contain in a request of its own', async () => {
    const script = [{ status: 204 }, { status: 200, body: '<DeleteResult></DeleteResult>' }];

    await withScript(script, async (blobs, server) => {
      await blobs.remove(['a', 'x\uFFFF', 'b']);

      const [single, batch] = server.received;
      expect(single).toMatchObject({ method: 'DELETE' });
      expect(single?.path).toContain('/content/x%EF%BF%BF');
      expect(batch?.body).toContain('<Key>a</Key>');
      expect(batch?.body).toContain('<Key>b</Key>');
      expect(batch?.body).not.toContain('\uFFFF');
    });
  });
});

describe('abortMultipart', () => {
  test.each([{ status: 204 }, s3Error('NoSuchUpload', 404)])(
    'ends an upload, also one that has ended: %j',
    async (response) => {
      await withScript([response], async (blobs, server) => {
        await blobs.abortMultipart('a', 'up+1');
        expect(server.received.map(({ method, path }) => [method, path])).toEqual([
          ['DELETE', expect.stringContaining('/content/a?uploadId=up%2B1')],
        ]);
      });
    },
  );

  test('throws when it is not permitted', async () => {
    await withScript([s3Error('AccessDenied', 403)], async (blobs) => {
      await expect(blobs.abortMultipart('a', 'up')).rejects.toThrow('AccessDenied');
    });
  });
});

test('createMultipart throws when S3 names no upload', async () => {
  await withScript([{ status: 200, body: '<Result/>' }], async (blobs) => {
    await expect(blobs.createMultipart('a', {})).rejects.toThrow('no multipart upload');
  });
});

function clientOf(endpoint: string): S3Client {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  return createS3Client({ endpoint, region: 'us-east-1', credentials });
}

async function withScript(
  script: readonly ScriptedResponse[],
  use: (blobs: S3Blobs, server: ScriptedServer) => Promise<void>,
): Promise<void> {
  const server = await startScriptedServer(script);
  const client = clientOf(server.endpoint);
  try {
    await use(new S3Blobs(client, 'content'), server);
  } finally {
    client.destroy();
    await server.stop();
  }
}

function s3Error(code: string, status: number): ScriptedResponse {
  const body = `<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}
