import { BOUNDS } from '../../src/services/websocket/limits';
import { until } from '../support/until';
import { serve } from './service';

test('$disconnect is invoked for each of many connections that end at once, a few at a time', async () => {
  const running: (() => void)[] = [];
  let most = 0;
  const service = await serve(({ requestContext: { eventType } }) => {
    if (eventType !== 'DISCONNECT') return { statusCode: 200 };
    return new Promise((resolve) => {
      running.push(() => resolve({ statusCode: 200 }));
      most = Math.max(most, running.length);
    });
  });
  const count = 2 * BOUNDS.endingsReported + 1;
  const clients = await Promise.all(Array.from({ length: count }, () => service.connect()));
  for (const { socket } of clients) socket.close();
  for (let ended = 0; ended < count; ended++) {
    await until(() => running.length > 0);
    running.shift()?.();
  }
  await until(() => service.eventsOf('DISCONNECT').length === count);
  expect(most).toBeLessThanOrEqual(BOUNDS.endingsReported);
  const ids = service
    .eventsOf('DISCONNECT')
    .map(({ requestContext: { connectionId } }) => connectionId);
  expect(new Set(ids).size).toBe(count);
});
