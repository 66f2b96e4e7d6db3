/** The end of an upload in parts: with which URLs it is completed. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { StowageError } from '../../client/errors';
import type { StorageApi } from '../../dashboard/src/api/storage';
import type { PartedUpload } from '../../dashboard/src/upload/plan';
import type { SavedUploads } from '../../dashboard/src/upload/saved-uploads';
import { resumeUpload } from '../../dashboard/src/upload/transfer';

/** A store that completes every upload. `requests`: the paths. */
async function startStore() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end(
      '<CompleteMultipartUploadResult><ETag>"e1"</ETag></CompleteMultipartUploadResult>',
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { requests, baseUrl: `http://127.0.0.1:${address.port}`, stop };
}

test.each([
  ['URLs that are signed again', async (signed: object) => signed, '/again'],
  [
    'its present URLs when no others are signed',
    () => Promise.reject(new StowageError('not_found', 'no such upload')),
    '/first',
  ],
])('resumeUpload completes an upload with %s', async (_what, sign, completedAt) => {
  const store = await startStore();
  const urlsAt = (path: string) => ({
    parts: [{ number: 1, url: `${store.baseUrl}/part` }],
    complete: { url: `${store.baseUrl}${path}`, method: 'POST' as const, headers: {} },
    abort: { url: `${store.baseUrl}/abort`, method: 'DELETE' as const, headers: {} },
  });
  const upload: PartedUpload = {
    ...urlsAt('/first'),
    id: 'u1',
    bucket: 'b',
    key: 'k',
    file: { name: 'k', size: 4, lastModified: 0 },
    partSize: 10,
    mayReplace: true,
    expiresAt: 1000,
  };
  const signed = { ...urlsAt('/again'), upload_id: 'u1', part_size: 10, expires_at: '2026-11-20' };
  const storage = {
    signAgain: () => sign(signed),
    describe: async () => ({ etag: 'e1', size: 4 }),
  } as unknown as StorageApi;
  const savedUploads = {
    add: async () => undefined,
    remove: async () => undefined,
  } as unknown as SavedUploads;
  try {
    await resumeUpload(
      { storage, savedUploads },
      { upload, finished: new Map([[1, '"p1"']]), file: new File(['four'], 'k') },
      {
        progress: () => undefined,
        finishing: () => undefined,
        signal: new AbortController().signal,
      },
    );
    expect(store.requests).toEqual([completedAt]);
  } finally {
    await store.stop();
  }
});
