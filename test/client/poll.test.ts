/** Long polling by a client, on a clock that the test moves. */
import { FollowedBucket } from '../../client/channel/followed-bucket';
import { poll } from '../../client/channel/poll';
import { Http } from '../../client/http';

const PAGE = { bucket: 'photos', bucket_id: 'b1', head: 1, has_more: false };

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('poll waits for Retry-After of an empty page that the service sent at once', async () => {
  const controller = new AbortController();
  let requests = 0;
  const fetch = async () => {
    requests += 1;
    const changes = { ...PAGE, from: 1, to: 1, changes: [] };
    return new Response(JSON.stringify(changes), { headers: { 'Retry-After': '5' } });
  };
  const polling = poll([new FollowedBucket('photos', { cursor: 1 })], {
    http: new Http('http://localhost', undefined, fetch),
    signal: controller.signal,
    emit: () => undefined,
    waitForRoom: async () => undefined,
    now: Date.now,
    random: Math.random,
  });
  await jest.advanceTimersByTimeAsync(4_999);
  expect(requests).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(requests).toBe(2);
  controller.abort();
  expect(await polling).toBe(true);
});
