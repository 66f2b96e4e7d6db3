/** Copies of more than 5 GiB by the client, on the fakes. */
import { sha256Base64 } from '../../core/http/digests';
import { LIMITS } from '../../core/limits';
import { ingestBlob } from '../../core/uploads/uploads';
import { newKey } from '../support/samples';
import { until } from '../support/until';
import { clientOfFakes } from './client-of-fakes';

describe('a large copy', () => {
  afterEach(() => jest.restoreAllMocks());

  async function film() {
    jest.replaceProperty(LIMITS, 'copyBytes', 1);
    const opened = clientOfFakes({ retries: 0 });
    const { client, fakes } = opened;
    fakes.state.apiKeys.set('key-1', newKey({ id: 'key-1' }));
    await client.buckets.create('films');
    await client.put('films', 'film', 'bytes');
    /** As the janitor and S3 do. */
    const arrive = async () => {
      const [copy] = await fakes.pendingCopies.list();
      const upload = await fakes.uploads.get(copy?.id ?? '');
      const checksumSha256 = sha256Base64(Buffer.from('bytes'));
      const content = { contentType: 'a/b', headers: {}, metadata: {}, checksumSha256 };
      const blob = upload?.blob ?? '';
      await fakes.blobs.put(blob, Buffer.from('bytes'), content);
      await ingestBlob({ ...fakes, backoff: async () => undefined }, blob);
    };
    return { ...opened, arrive };
  }

  test('is returned as an upload by commit', async () => {
    const { client } = await film();
    const change = { op: 'copy', key: 'copy', from: { key: 'film' } } as const;
    const { changes, upload } = await client.commit('films', [change]);
    expect(changes).toEqual([]);
    expect(upload).toMatchObject({ bucket: 'films', key: 'copy', state: 'pending' });
    expect(await client.uploadState(upload?.upload_id ?? '')).toEqual(upload);
  });

  test('is awaited by copy, which returns the object', async () => {
    const { client, sent, arrive } = await film();
    const copying = client.copy('films', 'copy', { key: 'film' });
    const asked = () => sent.some(({ path }) => path.startsWith('/uploads/'));
    await until('the client to ask', async () => asked());
    await arrive();
    expect(await copying).toMatchObject({ bucket: 'films', key: 'copy', size: 5, version: 1 });
  });

  test('throws not_found when the source is no longer kept', async () => {
    const { client, fakes } = await film();
    const copying = client.copy('films', 'copy', { key: 'film' });
    const failed = expect(copying).rejects.toMatchObject({
      code: 'not_found',
      details: { reason: 'source_deleted' },
    });
    await until('the copy to begin', async () => (await fakes.pendingCopies.list()).length > 0);
    const [copy] = await fakes.pendingCopies.list();
    await fakes.uploads.refuse(copy?.id ?? '', 'source_deleted');
    await failed;
  });

  test('is no longer awaited when the signal is aborted', async () => {
    const { client, fakes } = await film();
    const abort = new AbortController();
    const copying = client.copy('films', 'copy', { key: 'film' }, { signal: abort.signal });
    const failed = expect(copying).rejects.toThrow('enough');
    await until('the copy to begin', async () => (await fakes.pendingCopies.list()).length > 0);
    abort.abort(new Error('enough'));
    await failed;
  });
});
