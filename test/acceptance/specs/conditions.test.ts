import { it } from '../support/behaviour';
import { useBucket } from '../support/buckets';
import type { Descriptor } from '../support/descriptor';
import type { HttpResponse } from '../support/exchange';
import { call } from '../support/http';
import {
  describeObject,
  expectBytes,
  get,
  head,
  objectPath,
  put,
  remove,
} from '../support/objects';
import { demand, expectError, expectHeadError, expectStatus, headerOf } from '../support/responses';

const OTHER = '"0123456789abcdef0123456789abcdef"';

function expectNotModified(response: HttpResponse, descriptor: Descriptor): void {
  expectStatus(response, 304);
  demand(response.body.length === 0, 'no body', response);
  demand(headerOf(response, 'etag') === `"${descriptor.etag}"`, 'the etag', response);
  demand(
    headerOf(response, 'x-object-version') === String(descriptor.version),
    'the version',
    response,
  );
  demand(
    headerOf(response, 'x-object-cursor') === String(descriptor.cursor),
    'the cursor',
    response,
  );
}

describe('Conditions of PUT', () => {
  const bucket = useBucket('put-if');
  const putIf = (key: string, headers: Record<string, string>) =>
    call('PUT', objectPath(bucket, key), { headers, body: 'conditional' });

  /** The header for an object of that etag, and whether the write happens. */
  for (const [what, headersOf, happens] of [
    ['If-Match with its etag', (e: string) => ({ 'if-match': `"${e}"` }), true],
    [
      'If-Match with a list that has its etag',
      (e: string) => ({ 'if-match': `${OTHER}, "${e}"` }),
      true,
    ],
    ['If-Match: *', () => ({ 'if-match': '*' }), true],
    ['If-Match with another etag', () => ({ 'if-match': OTHER }), false],
    ['If-Match with its etag marked weak', (e: string) => ({ 'if-match': `W/"${e}"` }), false],
    ['If-None-Match: *', () => ({ 'if-none-match': '*' }), false],
    ['If-None-Match with its etag', (e: string) => ({ 'if-none-match': `"${e}"` }), false],
    [
      'If-None-Match with its etag marked weak',
      (e: string) => ({ 'if-none-match': `W/"${e}"` }),
      false,
    ],
    ['If-None-Match with another etag', () => ({ 'if-none-match': OTHER }), true],
    [
      'If-Match that holds with If-None-Match that does not',
      (e: string) => ({ 'if-match': `"${e}"`, 'if-none-match': '*' }),
      false,
    ],
  ] as const) {
    it(`on an existing object, ${what}: ${happens ? 'replaces' : '412, and nothing changes'}`, async () => {
      const before = await put(bucket, what, 'before');
      const response = await putIf(what, headersOf(before.etag));
      if (happens) {
        expectStatus(response, 200);
        await expectBytes(bucket, what, 'conditional');
      } else {
        expectError(response, 412);
        expect(await describeObject(bucket, what)).toEqual(before);
      }
    });
  }

  for (const [what, headers, happens] of [
    ['If-None-Match: *', { 'if-none-match': '*' }, true],
    ['If-None-Match with an etag', { 'if-none-match': OTHER }, true],
    ['If-Match: *', { 'if-match': '*' }, false],
    ['If-Match with an etag', { 'if-match': OTHER }, false],
  ] as const) {
    it(`on a missing object, ${what}: ${happens ? 'creates' : '412, and nothing is stored'}`, async () => {
      const response = await putIf(`missing ${what}`, headers);
      if (happens) expectStatus(response, 201);
      else {
        expectError(response, 412);
        expectHeadError(await head(bucket, `missing ${what}`), 404);
      }
    });
  }

  it('on a deleted object, If-None-Match: * creates, and If-Match with its old etag is 412', async () => {
    const { etag } = await put(bucket, 'deleted', 'before');
    await remove(bucket, 'deleted');
    expectError(await putIf('deleted', { 'if-match': `"${etag}"` }), 412);
    expectStatus(await putIf('deleted', { 'if-none-match': '*' }), 201);
  });

  it('names the condition that is false, and the etag and version that the object has', async () => {
    const { etag, version } = await put(bucket, 'named', 'before');
    const failed = expectError(await putIf('named', { 'if-match': OTHER }), 412);
    expect(failed.details).toEqual({ header: 'If-Match', etag, version });
    const missing = expectError(await putIf('named not', { 'if-match': '*' }), 412);
    expect(missing.details).toEqual({ header: 'If-Match' });
  });

  it('refuses If-Match and If-None-Match of more than 1,024 characters with 400', async () => {
    for (const name of ['if-match', 'if-none-match']) {
      const long = `"${'a'.repeat(1023)}"`;
      expectError(await putIf('long', { [name]: long }), 400, { field: 'Match' });
    }
    expectHeadError(await head(bucket, 'long'), 404);
  });

  it('takes no cursor for a write that was refused', async () => {
    const { cursor } = await put(bucket, 'row', 'before');
    expectError(await putIf('row', { 'if-none-match': '*' }), 412);
    expect((await put(bucket, 'row', 'after')).cursor).toBe(cursor + 1);
  });

  it('never writes when If-Match is malformed', async () => {
    const before = await put(bucket, 'malformed', 'before');
    const response = expectStatus(await putIf('malformed', { 'if-match': 'unquoted' }), 400, 412);
    expectError(response, response.status);
    expect(await describeObject(bucket, 'malformed')).toEqual(before);
  });
});

describe('Conditions of DELETE', () => {
  const bucket = useBucket('delete-if');

  for (const [what, headersOf, happens] of [
    ['If-Match with its etag', (e: string) => ({ 'if-match': `"${e}"` }), true],
    ['If-Match: *', () => ({ 'if-match': '*' }), true],
    ['If-Match with another etag', () => ({ 'if-match': OTHER }), false],
    ['If-Match with its etag marked weak', (e: string) => ({ 'if-match': `W/"${e}"` }), false],
    ['If-None-Match: *', () => ({ 'if-none-match': '*' }), false],
    ['If-None-Match with its etag', (e: string) => ({ 'if-none-match': `"${e}"` }), false],
    ['If-None-Match with another etag', () => ({ 'if-none-match': OTHER }), true],
  ] as const) {
    it(`${what}: ${happens ? 'deletes' : '412, and the object stays'}`, async () => {
      const before = await put(bucket, what, 'before');
      const response = await remove(bucket, what, { headers: headersOf(before.etag) });
      if (happens) {
        expectStatus(response, 200);
        expectHeadError(await head(bucket, what), 404);
      } else {
        expectError(response, 412);
        expect(await describeObject(bucket, what)).toEqual(before);
      }
    });
  }

  it('returns 404 for a missing object whatever the condition (RFC 9110 §13.2.1)', async () => {
    for (const headers of [{ 'if-none-match': '*' }, { 'if-none-match': OTHER }]) {
      expectError(await remove(bucket, 'missing', { headers }), 404);
    }
  });
});

describe('Conditions of GET and HEAD', () => {
  const bucket = useBucket('get-if');
  const key = 'object';
  const body = 'the content';
  const old = 'Sat, 29 Oct 1994 19:43:31 GMT';

  /**
   * The headers, made of the etag and Last-Modified of the object, and whether they lead to 304.
   */
  for (const [what, headersOf, notModified] of [
    ['If-None-Match with its etag', (e: string) => ({ 'if-none-match': e }), true],
    [
      'If-None-Match with its etag marked weak',
      (e: string) => ({ 'if-none-match': `W/${e}` }),
      true,
    ],
    [
      'If-None-Match with a list that has its etag',
      (e: string) => ({ 'if-none-match': `${OTHER}, ${e}` }),
      true,
    ],
    ['If-None-Match: *', () => ({ 'if-none-match': '*' }), true],
    ['If-None-Match with another etag', () => ({ 'if-none-match': OTHER }), false],
    [
      'If-Modified-Since its Last-Modified',
      (_: string, m: string) => ({ 'if-modified-since': m }),
      true,
    ],
    ['If-Modified-Since an earlier date', () => ({ 'if-modified-since': old }), false],
    [
      'If-Modified-Since something that is no date',
      () => ({ 'if-modified-since': 'yesterday' }),
      false,
    ],
    [
      'If-None-Match that differs, before If-Modified-Since that would be 304',
      (_: string, m: string) => ({ 'if-none-match': OTHER, 'if-modified-since': m }),
      false,
    ],
    [
      'If-None-Match with its etag, before If-Modified-Since an earlier date',
      (e: string) => ({ 'if-none-match': e, 'if-modified-since': old }),
      true,
    ],
    [
      'If-None-Match with its etag, before Range',
      (e: string) => ({ 'if-none-match': e, range: 'bytes=0-0' }),
      true,
    ],
  ] as const) {
    for (const method of ['GET', 'HEAD']) {
      it(`${method} with ${what}: ${notModified ? '304' : '200'}`, async () => {
        const descriptor = await put(bucket, `${what}/${key}`, body);
        const modified = headerOf(await head(bucket, `${what}/${key}`), 'last-modified');
        const headers = headersOf(`"${descriptor.etag}"`, modified);
        const response = await call(method, objectPath(bucket, `${what}/${key}`), { headers });
        if (notModified) expectNotModified(response, descriptor);
        else expectStatus(response, 200);
        if (!notModified && method === 'GET') expect(response.body.toString()).toBe(body);
      });
    }
  }

  it('returns 404, not 304, for a missing object', async () => {
    expectError(await get(bucket, 'missing', { headers: { 'if-none-match': '*' } }), 404);
  });

  it('returns 200 with the new bytes when the object was replaced since', async () => {
    const { etag } = await put(bucket, 'moving', 'one');
    const headers = { 'if-none-match': `"${etag}"` };
    expectStatus(await get(bucket, 'moving', { headers }), 304);
    await put(bucket, 'moving', 'two');
    expect(expectStatus(await get(bucket, 'moving', { headers }), 200).body.toString()).toBe('two');
  });
});
