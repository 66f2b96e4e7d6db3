import type { QueueDisorder } from '../../src/services/sqs/disorder';
import { Queues } from '../../src/services/sqs/queues';
import { afterTest, useFolder } from '../support/clean-up';
import { DEAD, WORK } from './service';

const all = Array.from({ length: 200 }, (_, n) => String(n));

/** Sends 200 messages, receives and deletes all, and returns their bodies as received. */
async function consume(disorder: QueueDisorder): Promise<readonly string[]> {
  const queues = new Queues([{ ...WORK, redrive: undefined }, DEAD], useFolder(), disorder);
  afterTest(() => queues.close());
  // All messages have the same time, because the result depends on the order in which they are due.
  const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  for (const body of all) queues.send(WORK, { body }, 'sender');
  now.mockRestore();
  const came: string[] = [];
  for (;;) {
    const received = await queues.receive(WORK, { limit: 10, wait: 0 });
    if (received.length === 0) return came;
    came.push(...received.map(({ body }) => body));
    for (const { handle } of received) queues.delete(WORK, handle);
  }
}

const inOrder = (came: readonly string[]) => [...came].sort((a, b) => Number(a) - Number(b));

test('without disorder each message is received once, in order', async () => {
  expect(await consume({ seed: 1 })).toEqual(all);
});

test('a message whose deletion is lost is received again once', async () => {
  const came = await consume({ seed: 1, repeat: 0.2 });
  expect(new Set(came)).toEqual(new Set(all));
  expect(came.length).toBeGreaterThan(220);
  expect(came.length).toBeLessThan(270);
});

test('a message that stays visible is received twice at the same time', async () => {
  const queues = new Queues([WORK, DEAD], useFolder(), { seed: 1, overlap: 1 });
  afterTest(() => queues.close());
  queues.send(WORK, { body: 'x' }, 'sender');
  const [first] = await queues.receive(WORK, { limit: 10, wait: 0 });
  const [second] = await queues.receive(WORK, { limit: 10, wait: 0 });
  expect(second).toMatchObject({ id: first?.id, body: 'x' });
});

test('shuffle returns messages in another order, the same for the same seed', async () => {
  const came = await consume({ seed: 7, shuffle: true });
  expect(came).not.toEqual(all);
  expect(inOrder(came)).toEqual(all);
  expect(await consume({ seed: 7, shuffle: true })).toEqual(came);
  expect(await consume({ seed: 8, shuffle: true })).not.toEqual(came);
});
