/** Responses of S3 to copies in parts, sent by a scripted server; test/contract has an engine. */
import { S3PartCopies } from '../../../adapters/s3/part-copies';
import { createS3Client } from '../../../lambdas/runtime/aws-clients';
import {
  type Received,
  type ScriptedResponse,
  startScriptedServer,
} from '../../support/scripted-server';

const UPLOAD = { blob: 'a b', multipartId: 'up+1' };
const SOURCE = { blob: 'source', size: 12, etag: 'abc' };
const PART = { number: 2, start: 5, end: 9 };

async function withScript<T>(
  script: readonly ScriptedResponse[],
  call: (copies: S3PartCopies) => Promise<T>,
): Promise<{ readonly outcome: T | unknown; readonly received: readonly Received[] }> {
  const server = await startScriptedServer(script);
  const client = createS3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  try {
    const outcome = await call(new S3PartCopies(client, 'content')).catch(
      (error: Error) => error.name,
    );
    return { outcome, received: server.received };
  } finally {
    client.destroy();
    await server.stop();
  }
}

const refusal = (code: string, status = 400): ScriptedResponse => ({
  status,
  body: `<Error><Code>${code}</Code></Error>`,
});

/** A page of ListParts with these parts, before others if it has a marker. */
function page(
  numbers: readonly number[],
  { next = '', truncated = next !== '' }: { next?: string; truncated?: boolean } = {},
): ScriptedResponse {
  const parts = numbers.map(
    (n) => `<Part><PartNumber>${n}</PartNumber><ETag>&quot;e${n}&quot;</ETag></Part>`,
  );
  const marker = next === '' ? '' : `<NextPartNumberMarker>${next}</NextPartNumberMarker>`;
  const end = `<IsTruncated>${truncated}</IsTruncated>${marker}`;
  return { status: 200, body: `<ListPartsResult>${end}${parts.join('')}</ListPartsResult>` };
}

describe('the parts of an upload', () => {
  const list = (...script: ScriptedResponse[]) =>
    withScript(script, async (copies) => {
      const found = await copies.list(UPLOAD);
      return found && [...found];
    });

  test('are read page by page, each with its etag', async () => {
    const { outcome, received } = await list(page([1, 3], { next: '3' }), page([4]));
    expect(outcome).toEqual([
      [1, 'e1'],
      [3, 'e3'],
      [4, 'e4'],
    ]);
    expect(received.map(({ method, path }) => [method, path])).toEqual([
      ['GET', '/content/a%20b?part-number-marker=0&uploadId=up%2B1&x-id=ListParts'],
      ['GET', '/content/a%20b?part-number-marker=3&uploadId=up%2B1&x-id=ListParts'],
    ]);
  });

  test.each<[string, ScriptedResponse, number]>([
    ['that is the last', page([1], { next: '1', truncated: false }), 1],
    ['without a marker', page([1], { truncated: true }), 1],
    ['with the same marker again', page([1], { next: '1' }), 2],
  ])('end with a page %s', async (_, response, requests) => {
    const { outcome, received } = await list(response);
    expect(outcome).toEqual([[1, 'e1']]);
    expect(received).toHaveLength(requests);
  });

  test('are none before the first is copied', async () => {
    expect((await list(page([]))).outcome).toEqual([]);
  });

  test('are none of an upload that has ended, and unknown after any other refusal', async () => {
    expect((await list(refusal('NoSuchUpload', 404))).outcome).toBeUndefined();
    expect((await list(refusal('AccessDenied', 403))).outcome).toBe('AccessDenied');
  });
});

describe('the copy of a part', () => {
  const copy = (response: ScriptedResponse) =>
    withScript([response], (copies) => copies.copy(UPLOAD, SOURCE, PART));

  test('names its range of the source, and returns its etag', async () => {
    const body = '<CopyPartResult><ETag>&quot;e2&quot;</ETag></CopyPartResult>';
    const { outcome, received } = await copy({ status: 200, body });
    expect(outcome).toBe('e2');
    expect(received).toMatchObject([
      {
        ...{
          method: 'PUT',
          path: expect.stringContaining('/content/a%20b?partNumber=2&uploadId=up%2B1'),
        },
        headers: {
          'x-amz-copy-source': 'content/source',
          'x-amz-copy-source-if-match': '"abc"',
          'x-amz-copy-source-range': 'bytes=5-9',
        },
      },
    ]);
  });

  test.each([
    ['NoSuchKey', 404, undefined],
    ['PreconditionFailed', 412, undefined],
    ['NoSuchUpload', 404, 'NoSuchUpload'],
    ['AccessDenied', 403, 'AccessDenied'],
  ])('after %s ends as expected', async (code, status, outcome) => {
    expect((await copy(refusal(code, status))).outcome).toBe(outcome);
  });

  test('without an etag in the response fails', async () => {
    expect((await copy({ status: 200, body: '<CopyPartResult/>' })).outcome).toBe('Error');
  });
});

describe('the end of an upload', () => {
  const complete = (response: ScriptedResponse) =>
    withScript([response], async (copies) => {
      await copies.complete(UPLOAD, ['e1', 'e"2&']);
      return 'completed';
    });

  test('names its parts in order, and creates the blob only', async () => {
    const { outcome, received } = await complete({ status: 200, body: '<Result/>' });
    expect(outcome).toBe('completed');
    expect(received).toMatchObject([
      {
        ...{ method: 'POST', path: '/content/a%20b?uploadId=up%2B1' },
        headers: { 'content-type': 'application/xml', 'if-none-match': '*' },
      },
    ]);
    const parts = received[0]?.body.match(/<Part>.*?<\/Part>/g) ?? [];
    expect(parts[0]).toContain('<ETag>e1</ETag><PartNumber>1</PartNumber>');
    expect(parts[1]).toContain('<ETag>e&quot;2&amp;</ETag><PartNumber>2</PartNumber>');
  });

  test.each([
    ['NoSuchUpload', 404, 'completed'],
    ['PreconditionFailed', 412, 'completed'],
    ['InvalidPart', 400, 'InvalidPart'],
    ['AccessDenied', 403, 'AccessDenied'],
  ])('after %s ends as expected', async (code, status, outcome) => {
    expect((await complete(refusal(code, status))).outcome).toBe(outcome);
  });
});
