import { randomBytes } from 'node:crypto';
import { it, needing } from '../../support/behaviour';
import { useBucket } from '../../support/buckets';
import { type Descriptor, sha256 } from '../../support/descriptor';
import { call, callJson, send } from '../../support/http';
import { descriptorOf, get, head, objectPath, put } from '../../support/objects';
import { expectHeadError, expectStatus } from '../../support/responses';
import {
  completeParts,
  mintMultipart,
  SIGNED_URL,
  signUrl,
  uploadParts,
  useUrl,
} from '../../support/signed';
import { until } from '../../support/wait';

const MiB = 1024 * 1024;

needing(['s3-events', 'multipart'], () => {
  describe('POST /api/v2/storage/signed-url, multipart', () => {
    const bucket = useBucket('parts');

    const committed = (key: string): Promise<Descriptor> =>
      until(key, async () => {
        const response = await call('GET', `${objectPath(bucket, key)}?view=descriptor`);
        return response.status === 404 ? undefined : descriptorOf(expectStatus(response, 200));
      });

    it('three parts become one object with size, type, version and bytes as uploaded', async () => {
      const bytes = randomBytes(10 * MiB + 1_001);
      const upload = await mintMultipart({
        bucket,
        key: 'three parts',
        content_type: 'video/x-test',
        multipart: { size: bytes.length, part_size: 5 * MiB },
      });
      expect(upload.parts.map((part) => part.number)).toEqual([1, 2, 3]);
      expect(upload.part_size).toBe(5 * MiB);
      const etags = await uploadParts(upload, bytes);
      expectHeadError(await head(bucket, 'three parts'), 404);
      expectStatus(await completeParts(upload, etags), 200);

      const descriptor = await committed('three parts');
      expect(descriptor).toMatchObject({
        size: bytes.length,
        version: 1,
        content_type: 'video/x-test',
      });
      const signed = await signUrl({ bucket, key: 'three parts', method: 'GET' });
      expect(sha256(expectStatus(await useUrl(signed), 200).body)).toBe(sha256(bytes));
      const range = `bytes=${5 * MiB - 2}-${5 * MiB + 1}`;
      const across = await get(bucket, 'three parts', { headers: { range } });
      const bytesAcross = bytes.subarray(5 * MiB - 2, 5 * MiB + 2);
      if (expectStatus(across, 206, 307).status === 206) {
        expect(across.body.equals(bytesAcross)).toBe(true);
      }
    });

    it('continues with new URLs after the first ones have expired', async () => {
      const bytes = randomBytes(5 * MiB + 1);
      const target = { bucket, key: 'slow' };
      const multipart = { size: bytes.length, part_size: 5 * MiB };
      const begun = await mintMultipart({ ...target, expires_in: 1, multipart });
      const [part] = begun.parts;
      await until('expiry', async () => {
        const { status } = await send('PUT', part?.url ?? '', { body: bytes.subarray(0, 5 * MiB) });
        return status === 403 ? true : undefined;
      });
      const again = { upload_id: begun.upload_id };
      const renewed = await mintMultipart({ ...target, multipart: again });
      expect(renewed.upload_id).toBe(begun.upload_id);
      expect(renewed.part_size).toBe(5 * MiB);
      expect(Date.parse(renewed.expires_at)).toBeGreaterThan(Date.parse(begun.expires_at));
      const wish = { ...target, method: 'PUT', multipart: again };
      const elsewhere = await callJson('POST', SIGNED_URL, { ...wish, key: 'other' });
      expectStatus(elsewhere, 404);
      expectStatus(await completeParts(renewed, await uploadParts(renewed, bytes)), 200);
      expect(await committed('slow')).toMatchObject({ size: bytes.length, version: 1 });
      expectStatus(await callJson('POST', SIGNED_URL, wish), 404);
    });

    it('chooses a part size that covers the object', async () => {
      const size = 1024 * MiB + 1;
      const upload = await mintMultipart({ bucket, key: 'planned', multipart: { size } });
      expect(upload.part_size).toBeGreaterThanOrEqual(5 * MiB);
      expect(upload.parts).toHaveLength(Math.ceil(size / upload.part_size));
      expectStatus(await send('DELETE', upload.abort.url), 204);
    });

    it('an aborted upload takes no more parts, cannot be completed, and leaves no object', async () => {
      const bytes = randomBytes(1_000);
      const upload = await mintMultipart({ bucket, key: 'aborted', multipart: { size: 1_000 } });
      const etags = await uploadParts(upload, bytes);
      expectStatus(await send('DELETE', upload.abort.url), 204);
      const [part] = upload.parts;
      expectStatus(await send('PUT', part?.url ?? '', { body: bytes }), 404);
      expectStatus(await completeParts(upload, etags), 404);
      expectHeadError(await head(bucket, 'aborted'), 404);
    });

    it('a part of another length than declared is 403', ['s3-signatures'], async () => {
      const multipart = { size: 5 * MiB + 10, part_size: 5 * MiB };
      const { parts, abort } = await mintMultipart({ bucket, key: 'wrong parts', multipart });
      for (const length of [9, 11, 0, 5 * MiB]) {
        const body = randomBytes(length);
        expectStatus(await send('PUT', parts[1]?.url ?? '', { body }), 403);
      }
      expectStatus(await send('PUT', parts[0]?.url ?? '', { body: randomBytes(10) }), 403);
      expectStatus(await send('PUT', parts[1]?.url ?? '', { body: randomBytes(10) }), 200);
      expectStatus(await send('DELETE', abort.url), 204);
    });

    it('an upload of another size than declared never becomes an object', async () => {
      const bytes = randomBytes(5 * MiB + 10);
      const multipart = { size: bytes.length, part_size: 5 * MiB };
      const upload = await mintMultipart({ bucket, key: 'wrong size', multipart });
      const [first = ''] = await uploadParts(upload, bytes);
      expectStatus(await completeParts(upload, [first]), 200);
      const later = await mintMultipart({ bucket, key: 'right size', multipart: { size: 2_000 } });
      expectStatus(await completeParts(later, await uploadParts(later, randomBytes(2_000))), 200);
      await committed('right size');
      expectHeadError(await head(bucket, 'wrong size'), 404);
    });

    it('a completed upload cannot be completed with other parts', async () => {
      const upload = await mintMultipart({ bucket, key: 'completed', multipart: { size: 10 } });
      const etags = await uploadParts(upload, Buffer.from('0123456789'));
      expectStatus(await completeParts(upload, etags), 200);
      await committed('completed');
      const [part] = upload.parts;
      expectStatus(await send('PUT', part?.url ?? '', { body: '9876543210' }), 404);
      expect((await get(bucket, 'completed')).body.toString()).toBe('0123456789');
    });
  });

  describe('Large objects', () => {
    const bucket = useBucket('large');
    const large = randomBytes(11 * MiB);
    const middle = randomBytes(5 * MiB);
    let descriptor: Descriptor | undefined;
    beforeAll(async () => {
      for (const [key, body] of [
        ['11 MiB', large],
        ['5 MiB', middle],
      ] as const) {
        const signed = await signUrl({ bucket, key, method: 'PUT', content_type: 'image/x-large' });
        expectStatus(await useUrl(signed, body), 200);
      }
      const described = (key: string) =>
        until(key, async () => {
          const response = await call('GET', `${objectPath(bucket, key)}?view=descriptor`);
          return response.status === 404 ? undefined : descriptorOf(expectStatus(response, 200));
        });
      await described('5 MiB');
      descriptor = await described('11 MiB');
    });

    it('above the inline size GET returns 307 to a URL that serves the bytes without a key, Cache-Control: no-store', async () => {
      const response = expectStatus(await get(bucket, '11 MiB'), 307);
      expect(response.headers['cache-control']).toBe('no-store');
      const followed = expectStatus(await send('GET', String(response.headers.location)), 200);
      expect(sha256(followed.body)).toBe(sha256(large));
      expect(followed.headers['content-type']).toBe('image/x-large');
    });

    it('the URL of a 307 is valid for at most 60 s', async () => {
      const { headers } = expectStatus(await get(bucket, '11 MiB'), 307);
      const expires = new URL(String(headers.location)).searchParams.get('X-Amz-Expires');
      expect(Number(expires)).toBeGreaterThan(0);
      expect(Number(expires)).toBeLessThanOrEqual(60);
    });

    it('HEAD returns 200 with its size, and If-None-Match 304, without a redirect', async () => {
      const response = expectStatus(await head(bucket, '11 MiB'), 200);
      expect(response.headers['content-type']).toBe('image/x-large');
      const headers = { 'if-none-match': `"${descriptor?.etag}"` };
      expectStatus(await get(bucket, '11 MiB', { headers }), 304);
    });

    it('a range of it serves the bytes, inline or by 307', async () => {
      const headers = { range: 'bytes=11000000-11000099' };
      const response = expectStatus(await get(bucket, '11 MiB', { headers }), 206, 307);
      const served =
        response.status === 206
          ? response
          : expectStatus(await send('GET', String(response.headers.location), { headers }), 206);
      expect(served.body.equals(large.subarray(11_000_000, 11_000_100))).toBe(true);
    });

    it('between 4 MiB and 6 MB the bytes come inline', ['streaming'], async () => {
      const response = expectStatus(await get(bucket, '5 MiB'), 200);
      expect(sha256(response.body)).toBe(sha256(middle));
    });

    it('a replaced large object leaves small and comes inline again', async () => {
      const signed = await signUrl({ bucket, key: 'shrinks', method: 'PUT' });
      expectStatus(await useUrl(signed, large), 200);
      await until('shrinks', async () =>
        (await head(bucket, 'shrinks')).status === 200 ? true : undefined,
      );
      await put(bucket, 'shrinks', 'small');
      expect(expectStatus(await get(bucket, 'shrinks'), 200).body.toString()).toBe('small');
    });
  });
});
