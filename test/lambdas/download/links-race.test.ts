/** Racing openings of a link, on the real adapters. */
import { setTimeout as pause } from 'node:timers/promises';
import { createLinks } from '../../../service/links/links';
import { createApi } from '../../../service/storage-api';
import { incomingRequest, send } from '../../support/requests';
import { newKey } from '../../support/samples';
import { startService } from '../../support/service';

test('of 1,000 racing openings of a link for 100 uses, exactly 100 get the bytes', async () => {
  const service = await startService();
  try {
    await service.putKey(newKey({ id: 'key-1' }));
    const deps = service.open();
    const api = createApi(deps);
    await send(api, { method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
    await send(api, { method: 'PUT', path: '/objects/photos/a', body: 'hello' });
    const body = '{"bucket":"photos","key":"a","max_uses":100}';
    const { url } = (await send(api, { method: 'POST', path: '/links', body })).json<{
      url: string;
    }>();
    const { pathname: path, searchParams } = new URL(url);
    const secret = searchParams.get('secret') ?? '';
    const request = incomingRequest({ path: '', query: { secret, download: '' } });
    const openings = Array.from({ length: 4 }, () =>
      createLinks({ ...service.open(), contentOrigin: 'https://content.example' }),
    ).flatMap((app) =>
      Array.from({ length: 250 }, async () => {
        // A busy machine may keep some from the table: they get 503, and open the link again.
        for (;;) {
          const { status } = await app({ ...request, path });
          if (status !== 503) return status;
          await pause(100 + Math.random() * 400);
        }
      }),
    );
    const statuses = await Promise.all(openings);
    const count = (status: number) => statuses.filter((one) => one === status).length;
    expect([count(307), count(404)]).toEqual([100, 900]);
    const { id = '' } = (await deps.buckets.get('photos')) ?? {};
    expect((await deps.links.list(id, 10)).items).toMatchObject([{ uses: 100 }]);
  } finally {
    await service.stop();
  }
});
