import { S3Client } from '@aws-sdk/client-s3';
import { S3BlobReader } from '../../../../lambdas/shared/s3/blob-reader';
import { startScriptedServer } from '../../../support/scripted-server';

test('list decodes keys only when S3 confirms that it encoded them', async () => {
  const keys = (encoding: string) => ({
    status: 200,
    body: `<ListBucketResult>${encoding}<IsTruncated>false</IsTruncated>
      <Contents><Key>a+b%2B%EF%BF%BF</Key><Size>5</Size></Contents></ListBucketResult>`,
  });
  const script = [keys('<EncodingType>url</EncodingType>'), keys('')];
  const server = await startScriptedServer(script);
  const client = new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    forcePathStyle: true,
  });
  try {
    const reader = new S3BlobReader(client, 'content');
    const [encoded] = (await reader.list('a')).items;
    const [plain] = (await reader.list('a')).items;

    expect(encoded?.blob).toBe('a b+\uFFFF');
    expect(plain?.blob).toBe('a+b%2B%EF%BF%BF');
    expect(server.received[0]?.path).toContain('encoding-type=url');
  } finally {
    client.destroy();
    await server.stop();
  }
});
