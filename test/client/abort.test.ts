/** Signals of requests whose content is still being read. */
import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { StowageClient } from '../../client';
import { until } from '../support/until';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a signal ends a download whose response nobody holds any more', async () => {
  let sent: AbortSignal | undefined;
  let response: WeakRef<Response> | undefined;
  const collected = jest.fn();
  const registry = new FinalizationRegistry(collected);
  const fetch = async (_url: string, init: RequestInit) => {
    sent = init.signal ?? undefined;
    const begun = new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }));
    response = new WeakRef(begun);
    registry.register(begun, undefined);
    return begun;
  };
  const client = new StowageClient({ baseUrl: 'https://files.example', fetch });
  const stop = new AbortController();
  const { signal } = stop;
  const open = async () => (await client.get('photos', 'film', { signal })).body?.getReader();
  const reader = await open();
  await until('the response to be collected', () => {
    collectGarbage();
    return response?.deref() === undefined && collected.mock.calls.length > 0;
  });
  stop.abort();
  expect(sent?.aborted).toBe(true);
  expect(reader).toBeDefined();
});

test('a signal has no listener of a download whose content nobody reads any more', async () => {
  const fetch = async () => new Response('content');
  const client = new StowageClient({ baseUrl: 'https://files.example', fetch });
  const { signal } = new AbortController();
  const open = async () => (await client.get('photos', 'film', { signal })).status;
  expect(await open()).toBe(200);
  await until('the content to be collected', () => {
    collectGarbage();
    return getEventListeners(signal, 'abort').length === 0;
  });
});
