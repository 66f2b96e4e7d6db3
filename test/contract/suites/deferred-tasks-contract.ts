import type { DeferredTask } from '../../../core/channel/ports';
import type { DeferredTasksSubject, OpenDeferredTasks } from '../subjects/deferred-tasks-subjects';

const advance = (upTo: number): DeferredTask => ({
  advance: { bucket: 'photos', id: 'abcdefghijkl', upTo },
});
const BEGIN = { connectionId: 'TXzPWdnOjoECGjA=', bucket: 'photos' };

export function deferredTasksContract(name: string, open: OpenDeferredTasks): void {
  describe(`DeferredTasks: ${name}`, () => {
    let subject: DeferredTasksSubject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    test.each<[DeferredTask]>([
      [advance(12)],
      [{ begin: BEGIN }],
      [{ begin: { ...BEGIN, bucketId: 'abcdefghijkl', cursor: 0, prefix: 'ü/😀"\n' } }],
    ])('the consumer receives %j unchanged', async (task) => {
      await subject.tasks.add(task, 0);

      expect(await subject.next()).toEqual(task);
    });

    test.each([
      [1, 1000],
      [0.25, 250],
    ])(
      'a task with a delay of %d s arrives after it at the earliest',
      async (delaySeconds, milliseconds) => {
        const start = subject.now();

        await subject.tasks.add(advance(1), delaySeconds);

        expect(await subject.next()).toEqual(advance(1));
        expect(subject.now() - start).toBeGreaterThanOrEqual(milliseconds);
      },
    );

    test('a task that is due is not delayed by one that is not', async () => {
      await subject.tasks.add(advance(1), 2);
      await subject.tasks.add(advance(2), 0);

      expect(await subject.next()).toEqual(advance(2));
      expect(await subject.next()).toEqual(advance(1));
    });

    test('all of many tasks arrive', async () => {
      const all = Array.from({ length: 20 }, (_, n) => advance(n));

      await Promise.all(all.map((task) => subject.tasks.add(task, 0)));

      const got: DeferredTask[] = [];
      while (got.length < all.length) got.push(await subject.next());
      expect(new Set(got.map((each) => JSON.stringify(each)))).toEqual(
        new Set(all.map((each) => JSON.stringify(each))),
      );
    });

    test.each([-1, 901, Number.NaN])('add refuses a delay of %d s', async (delaySeconds) => {
      await expect(subject.tasks.add(advance(1), delaySeconds)).rejects.toThrow();
    });
  });
}
