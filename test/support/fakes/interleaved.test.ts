import { change, liveObject, newBucket } from '../samples';
import { createFakes } from './fakes';
import { ConnectionLost, type Step } from './interleaved';

const RECORD = newBucket({ name: 'photos', id: 'id' });

test('every operation is announced before and after it takes effect', async () => {
  const seen: [Step, boolean][] = [];
  const fakes = createFakes({
    yieldPoint: (step) => {
      seen.push([step, fakes.state.buckets.has('photos')]);
    },
  });

  await fakes.buckets.create(RECORD);

  expect(seen).toEqual([
    [{ port: 'buckets', operation: 'create', when: 'before' }, false],
    [{ port: 'buckets', operation: 'create', when: 'after' }, true],
  ]);
});

test('a test decides who goes first', async () => {
  const waiting: (() => void)[] = [];
  const fakes = createFakes({ yieldPoint: () => new Promise((resolve) => waiting.push(resolve)) });
  fakes.state.buckets.set('photos', RECORD);

  const numbers: (number | undefined)[] = [];
  const done = [1, 2].map(async (caller) => {
    numbers[caller] = await fakes.commits.allocate({ name: 'photos', id: 'id' });
  });
  waiting[1]?.();
  while (waiting.length < 3) await Promise.resolve();
  waiting[0]?.();
  while (waiting.length < 4) await Promise.resolve();
  for (const go of waiting) go();
  await Promise.all(done);

  expect(numbers[2]).toBe(1);
  expect(numbers[1]).toBe(2);
});

test.each([
  ['before', undefined],
  ['after', RECORD],
])('what stops %s an operation leaves it undone or done', async (when, stored) => {
  const fakes = createFakes({
    yieldPoint: (step) => {
      if (step.when === when) throw new Error('crash');
    },
  });

  await expect(fakes.buckets.create(RECORD)).rejects.toThrow('crash');

  expect(fakes.state.buckets.get('photos')).toEqual(stored);
});

test.each([
  ['before', 0],
  ['after', 1],
])('a connection lost %s a commit leaves its outcome unknown', async (when, entries) => {
  const fakes = createFakes({
    yieldPoint: (step) => {
      if (step.operation === 'commit' && step.when === when) throw new ConnectionLost();
    },
  });

  const outcome = await fakes.commits.commit(change('id', liveObject()));

  expect(outcome).toEqual({ result: 'unknown', cause: expect.any(ConnectionLost) });
  expect(await fakes.changeLog.read('id', 0, 10)).toHaveLength(entries);
});

test('fakes of the same state see each other, and share no object with it', async () => {
  const first = createFakes();
  const second = createFakes(first);
  await first.commits.commit(change('id', liveObject()));

  const seen = await second.objects.get('id', 'a/b.txt');

  expect(seen).toEqual(liveObject());
  expect(seen).not.toBe(first.state.objectsOf('id').get('a/b.txt'));
  expect(first.ids.ulid()).not.toBe(second.ids.ulid());
});
