import { createHash } from 'node:crypto';
import { it } from '../support/behaviour';
import { useBucket } from '../support/buckets';
import { sha256 } from '../support/descriptor';
import { call } from '../support/http';
import {
  describeObject,
  descriptorOf,
  expectBytes,
  get,
  head,
  objectPath,
  put,
} from '../support/objects';
import { expectError, expectHeadError, expectStatus } from '../support/responses';

const BODY = 'the bytes that were meant';
const right = `sha-256=:${sha256(BODY)}:`;
const wrong = `sha-256=:${sha256('other bytes')}:`;
const sha512 = (body: string) => `sha-512=:${createHash('sha512').update(body).digest('base64')}:`;

describe('Content-Digest, Repr-Digest and Content-MD5', () => {
  const bucket = useBucket('digest');
  const putWith = (key: string, digest: string) =>
    call('PUT', objectPath(bucket, key), { headers: { 'content-digest': digest }, body: BODY });

  it('stores a body whose sha-256 is right, and returns it as checksum_sha256 and Repr-Digest', async () => {
    const response = expectStatus(await putWith('right', right), 201);
    expect(descriptorOf(response).checksum_sha256).toBe(sha256(BODY));
    expect((await expectBytes(bucket, 'right', BODY)).headers['repr-digest']).toBe(right);
    expect((await head(bucket, 'right')).headers['repr-digest']).toBe(right);
  });

  it('returns the Repr-Digest of the whole object together with a range of it', async () => {
    expectStatus(await putWith('ranged', right), 201);
    const response = await get(bucket, 'ranged', { headers: { range: 'bytes=0-2' } });
    expect(expectStatus(response, 206).headers['repr-digest']).toBe(right);
  });

  for (const [what, digest] of [
    ['a sha-256 of other bytes', wrong],
    ['a right sha-512 with a wrong sha-256', `${sha512(BODY)}, ${wrong}`],
    ['a wrong sha-256 with a right sha-512', `${wrong}, ${sha512(BODY)}`],
    ['a sha-256 that is not base64', 'sha-256=:***:'],
    ['a sha-256 that is too short', 'sha-256=:AAAA:'],
    ['a sha-256 without colons', `sha-256=${sha256(BODY)}`],
    ['a sha-256 in hexadecimal', `sha-256=:${createHash('sha256').update(BODY).digest('hex')}:`],
    ['something that is no digest', 'nonsense'],
  ] as const) {
    it(`refuses ${what} with 400 that names the header, and stores nothing`, async () => {
      const response = await putWith(`new ${what}`, digest);
      expectError(response, 400, { field: 'Content-Digest' });
      expectHeadError(await head(bucket, `new ${what}`), 404);
    });
  }

  it('leaves the object as it was when the digest of its replacement is wrong', async () => {
    const before = await put(bucket, 'kept', 'before');
    expectError(await putWith('kept', wrong), 400, { field: 'Content-Digest' });
    expect(await describeObject(bucket, 'kept')).toEqual(before);
    await expectBytes(bucket, 'kept', 'before');
  });

  it('stores a body whose sha-256 is right together with an unknown algorithm', async () => {
    expectStatus(await putWith('both', `unixsum=:AAAA:, ${right}`), 201);
  });

  it('refuses a digest of unknown algorithms alone, because its sender relies on it', async () => {
    expectError(await putWith('unknown', 'unixsum=:AAAA:'), 400, { field: 'Content-Digest' });
    expectHeadError(await head(bucket, 'unknown'), 404);
  });

  it('verifies an empty body too', async () => {
    const path = objectPath(bucket, 'empty');
    const good = { 'content-digest': `sha-256=:${sha256('')}:` };
    expectError(await call('PUT', path, { headers: { 'content-digest': right } }), 400);
    expectStatus(await call('PUT', path, { headers: good }), 201);
  });

  const md5 = (body: string) => createHash('md5').update(body).digest('base64');
  const putWithMd5 = (key: string, digest: string) =>
    call('PUT', objectPath(bucket, key), { headers: { 'content-md5': digest }, body: BODY });

  it('stores a body whose Content-MD5 is right', ['edge'], async () => {
    expectStatus(await putWithMd5('md5', md5(BODY)), 201);
    await expectBytes(bucket, 'md5', BODY);
  });

  it(
    'refuses a wrong or malformed Content-MD5 with 400, and stores nothing',
    ['edge'],
    async () => {
      for (const digest of [md5('other bytes'), 'nonsense']) {
        expectError(await putWithMd5('wrong-md5', digest), 400, { field: 'Content-MD5' });
        expectHeadError(await head(bucket, 'wrong-md5'), 404);
      }
    },
  );
});
