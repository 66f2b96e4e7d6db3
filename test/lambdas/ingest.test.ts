/** The events of S3 that invoke the function `ingest`. */
import type { S3Event } from 'aws-lambda';
import { createIngest } from '../../lambdas/ingest/app';
import { BUCKET, openBucket, storeBlob } from '../support/bucket-world';

/** An event as S3 sends it: keys are form-encoded. */
const eventOf = (...blobs: readonly string[]) => {
  const encoded = (blob: string) => new URLSearchParams({ '': blob }).toString().slice(1);
  const keys = blobs.map((blob) => encoded(blob).replaceAll('%2F', '/'));
  const Records = keys.map((key) => ({ s3: { bucket: { name: 'content' }, object: { key } } }));
  return { Records } as S3Event;
};

test.each(['a', 'a b', 'a+b', 'a%20b', 'é/ü😀', '  ++', '%', '&='])(
  'the upload of %j is committed by the event that reports it',
  async (key) => {
    const { deps, bucket } = await openBucket();
    const id = deps.ids.ulid();
    const blob = `uploads/${BUCKET}.${bucket.id}/${key}/${id}`;
    const names = { id, bucket: BUCKET, bucketId: bucket.id, key, blob };
    const row = { ...names, expiresAt: deps.clock.iso(), ttl: 9e9 };
    await deps.uploads.create({ ...row, state: 'pending' });
    await storeBlob(deps, blob);
    const opened: string[] = [];
    const ingest = createIngest((bucketName) => {
      opened.push(bucketName);
      return deps;
    });
    await ingest(eventOf(`${blob}0`, blob));
    expect((await deps.objects.get(bucket.id, key))?.version).toBe(1);
    expect(opened).toEqual(['content', 'content']);
    expect(deps.log.lines).toEqual(
      ['nothing', 'committed'].map((outcome) => ({
        ...{ level: 'info', event: 'upload_ingested', fields: { outcome } },
      })),
    );
  },
);
