import { it, needing } from '../../support/behaviour';
import { bucketCursor, useBucket } from '../../support/buckets';
import { TIMESTAMP } from '../../support/descriptor';
import { call } from '../../support/http';
import { useKey } from '../../support/keys';
import { describeObject, expectBytes, get, head, put } from '../../support/objects';
import { expectError, expectHeadError, expectStatus, headerOf } from '../../support/responses';
import {
  completeParts,
  mintMultipart,
  signUrl,
  uploadParts,
  uploadPath,
  uploadState,
  useUrl,
} from '../../support/signed';

describe('GET /api/v2/storage/uploads/{upload_id}', () => {
  const bucket = useBucket('uploads');
  const wish = (key: string, more: object = {}) => ({ bucket, key, method: 'PUT', ...more });
  const unknown = '01KAG8Y2M4Q7T9V1X3Z5B7D9F1';

  it('returns pending before the upload', async () => {
    const { upload_id: id } = await signUrl(wish('pending'));
    const response = expectStatus(await call('GET', uploadPath(id)), 200);
    expect(JSON.parse(response.body.toString())).toEqual({
      upload_id: id,
      bucket,
      key: 'pending',
      state: 'pending',
    });
  });

  it('returns 404 for an id that no response has named', async () => {
    expectError(await call('GET', uploadPath(unknown)), 404);
  });

  needing(['restricted-keys'], () => {
    const other = useKey({ buckets: [bucket], prefix: 'b/', actions: ['write'] });
    const reader = useKey({ buckets: [bucket], actions: ['read', 'list', 'sign'] });
    const writer = useKey({ buckets: [bucket], prefix: 'a/', actions: ['write'] });

    it('returns 200 to a key that may write the object, else the 404 of an unknown id', async () => {
      const { upload_id: id } = await signUrl(wish('a/mine'));
      expectStatus(await call('GET', uploadPath(id), { key: writer() }), 200);
      const none = expectError(await call('GET', uploadPath(unknown), { key: other() }), 404);
      for (const key of [other(), reader()]) {
        const refused = expectError(await call('GET', uploadPath(id), { key }), 404);
        expect({ ...refused, request_id: '' }).toEqual({ ...none, request_id: '' });
      }
    });
  });

  needing(['s3-events'], () => {
    it('returns committed, with the version and the cursor of the upload', async () => {
      await put(bucket, 'committed', 'first');
      const signed = await signUrl(wish('committed'));
      expectStatus(await useUrl(signed, 'second'), 200);
      const state = await uploadState(signed.upload_id, 'committed', 'discarded');
      const { version, cursor } = await describeObject(bucket, 'committed');
      expect(version).toBe(2);
      expect(state).toEqual({
        upload_id: signed.upload_id,
        bucket,
        key: 'committed',
        state: 'committed',
        object: { bucket, key: 'committed', version, cursor },
      });
    });

    it('returns discarded with precondition_failed when the condition does not hold', async () => {
      const signed = await signUrl(wish('late', { if_none_match: '*' }));
      await put(bucket, 'late', 'was faster');
      expectStatus(await useUrl(signed, 'too late'), 200);
      const state = await uploadState(signed.upload_id, 'committed', 'discarded');
      expect(state).toMatchObject({ state: 'discarded', reason: 'precondition_failed' });
      await expectBytes(bucket, 'late', 'was faster');
    });

    it(
      'returns discarded with size_mismatch when parts of a multipart upload are missing',
      ['multipart'],
      async () => {
        const part = 5 * 1024 * 1024;
        const multipart = { size: part + 1, part_size: part };
        const upload = await mintMultipart({ bucket, key: 'size', multipart });
        const first = { ...upload, parts: upload.parts.slice(0, 1) };
        const etags = await uploadParts(first, Buffer.alloc(part));
        expectStatus(await completeParts(upload, etags), 200);
        const state = await uploadState(upload.upload_id, 'committed', 'discarded');
        expect(state).toMatchObject({ state: 'discarded', reason: 'size_mismatch' });
      },
    );

    it('an upload with commit false is staged, and no object or change appears', async () => {
      const cursor = await bucketCursor(bucket);
      const signed = await signUrl(wish('staged', { commit: false }));
      expectStatus(await useUrl(signed, 'staged'), 200);
      const state = await uploadState(signed.upload_id, 'staged', 'committed', 'discarded');
      expect(state).toEqual({
        upload_id: signed.upload_id,
        ...{ bucket, key: 'staged', state: 'staged' },
        expires_at: expect.stringMatching(TIMESTAMP),
      });
      expectHeadError(await head(bucket, 'staged'), 404);
      expect(await bucketCursor(bucket)).toBe(cursor);
    });

    const content = {
      content_type: 'text/css',
      cache_control: 'public, max-age=60',
      content_disposition: 'attachment; filename="a.css"',
      content_encoding: 'identity',
      content_language: 'de',
      metadata: { camera: 'x100', 'taken-at': '10:51, outside', empty: '' },
    };

    const expectContent = async (key: string) => {
      expect(await describeObject(bucket, key)).toMatchObject({
        content_type: 'text/css',
        metadata: content.metadata,
      });
      const response = expectStatus(await get(bucket, key), 200);
      const names = [
        'content-disposition',
        'content-encoding',
        'content-language',
        'x-object-meta-camera',
      ];
      expect(names.map((name) => headerOf(response, name))).toEqual([
        content.content_disposition,
        'identity',
        'de',
        'x100',
      ]);
      expect(headerOf(response, 'cache-control')).toContain('max-age=60');
    };

    it('an upload has the metadata and content headers of its signed URL', async () => {
      const signed = await signUrl(wish('content', content));
      expectStatus(await useUrl(signed, 'a {}'), 200);
      await uploadState(signed.upload_id, 'committed');
      await expectContent('content');
    });

    it(
      'a multipart upload has the metadata and content headers it began with',
      ['multipart'],
      async () => {
        const upload = await mintMultipart({ ...wish('parts', content), multipart: { size: 4 } });
        const etags = await uploadParts(upload, Buffer.from('a {}'));
        expectStatus(await completeParts(upload, etags), 200);
        await uploadState(upload.upload_id, 'committed');
        await expectContent('parts');
      },
    );
  });
});
