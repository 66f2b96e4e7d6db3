import { it, needing } from '../../support/behaviour';
import { useBucket } from '../../support/buckets';
import { call } from '../../support/http';
import { revokeKey, useKey } from '../../support/keys';
import { describeObject, head, objectPath, put } from '../../support/objects';
import { expectHeadError, expectStatus } from '../../support/responses';
import {
  completeParts,
  mintMultipart,
  type SignedUrl,
  signUrl,
  uploadParts,
  useUrl,
} from '../../support/signed';
import { until } from '../../support/wait';

needing(['key-revocation', 'restricted-keys', 's3-events'], () => {
  describe('A signed URL whose key was revoked', () => {
    const bucket = useBucket('revoked');
    const key = useKey({ buckets: [bucket], actions: ['sign', 'read', 'write'] });
    let download: SignedUrl;
    let upload: SignedUrl;
    let parts: Awaited<ReturnType<typeof mintMultipart>>;

    beforeAll(async () => {
      await put(bucket, 'there', 'stored before');
      const mine = { key: key() };
      download = await signUrl({ bucket, key: 'there', method: 'GET' }, mine);
      upload = await signUrl({ bucket, key: 'there', method: 'PUT' }, mine);
      parts = await mintMultipart({ bucket, key: 'parts', multipart: { size: 10 } }, mine);
      await revokeKey(key());
      await until('401', async () => {
        const { status } = await call('GET', objectPath(bucket, 'there'), mine);
        return status === 401 ? true : undefined;
      });
    });

    /** Waits until an upload that began after everything else has been committed. */
    const settle = async (label: string) => {
      expectStatus(await useUrl(await signUrl({ bucket, key: label, method: 'PUT' }), 'x'), 200);
      await until(label, async () =>
        (await head(bucket, label)).status === 200 ? true : undefined,
      );
    };

    it('uploads nothing: the storage takes the bytes, and no object or version appears', async () => {
      expectStatus(await useUrl(upload, 'sent after the revocation'), 200);
      await settle('after the upload');
      expect((await describeObject(bucket, 'there')).version).toBe(1);
    });

    it('completes no multipart upload', ['multipart'], async () => {
      const etags = await uploadParts(parts, Buffer.from('0123456789'));
      expectStatus(await completeParts(parts, etags), 200);
      await settle('after the parts');
      expectHeadError(await head(bucket, 'parts'), 404);
    });

    it('downloads until it expires', async () => {
      expect(expectStatus(await useUrl(download), 200).body.toString()).toBe('stored before');
    });
  });
});
