import type { DataPorts, OpenData } from '../subjects/data-subjects';

const TARGET = 'archive';
const NOW = 1_000_000;

export function targetCursorsContract(name: string, open: OpenData): void {
  describe(`TargetCursors: ${name}`, () => {
    let ports: DataPorts;
    let count = 0;
    beforeAll(async () => {
      ports = await open();
    });
    afterAll(() => ports.close());

    const newTarget = () => `${TARGET}-${++count}`;
    const bucket = { name: 'photos', id: 'abcdefghijkl' };
    const at = (cursor: number, failures = 0) => ({ bucket, cursor, failures });
    const lease = (holder: string, now = NOW) => ({ holder, now, until: now + 1000 });

    test('a target has the time of its first registration, and is complete once that is recorded', async () => {
      const target = newTarget();
      await ports.targetCursors.completeRegistration(target);
      expect(await ports.targetCursors.register(target, 5)).toEqual({ since: 5, complete: false });
      expect(await ports.targetCursors.register(target, 7)).toEqual({ since: 5, complete: false });
      await ports.targetCursors.completeRegistration(target);
      expect(await ports.targetCursors.register(target, 9)).toEqual({ since: 5, complete: true });
      expect(await ports.targetCursors.list(target)).toEqual([]);
    });

    test('a cursor is where it was begun first, and 0 when it is leased without', async () => {
      const target = newTarget();
      expect(await ports.targetCursors.get(target, bucket.id)).toBeUndefined();
      await ports.targetCursors.initialize(target, bucket, 12);
      await ports.targetCursors.initialize(target, bucket, 99);
      expect(await ports.targetCursors.get(target, bucket.id)).toEqual(at(12));
      expect(await ports.targetCursors.acquireLease(target, bucket, lease('a'))).toEqual(at(12));

      const other = { name: 'other', id: 'Zbcdefghijk0' };
      const first = { bucket: other, cursor: 0, failures: 0 };
      expect(await ports.targetCursors.acquireLease(target, other, lease('a'))).toEqual(first);
      await ports.targetCursors.initialize(target, other, 7);
      expect(await ports.targetCursors.get(target, other.id)).toEqual(first);
      const listed = await ports.targetCursors.list(target);
      expect([...listed].sort((a, b) => a.cursor - b.cursor)).toEqual([first, at(12)]);
    });

    test('one of two holders has the lease until it expires or is released', async () => {
      const target = newTarget();
      const { targetCursors } = ports;
      expect(await targetCursors.acquireLease(target, bucket, lease('a'))).toEqual(at(0));
      expect(
        await targetCursors.acquireLease(target, bucket, lease('b', NOW + 999)),
      ).toBeUndefined();
      expect(await targetCursors.acquireLease(target, bucket, lease('b', NOW + 1000))).toEqual(
        at(0),
      );
      // The first holder has lost the lease.
      const step = { from: 0, to: 3 };
      expect(await targetCursors.advance(target, bucket.id, { ...step, holder: 'a' })).toBe(false);
      expect(await targetCursors.advance(target, bucket.id, { ...step, holder: 'b' })).toBe(true);
      expect(await targetCursors.acquireLease(target, bucket, lease('c', 0))).toEqual(at(3));
    });

    test('a cursor moves forward only, from where it is, and extends the lease on request', async () => {
      const target = newTarget();
      const { targetCursors } = ports;
      await targetCursors.acquireLease(target, bucket, lease('a'));
      const move = (from: number, to: number, until?: number) =>
        targetCursors.advance(target, bucket.id, { from, to, holder: 'a', until });
      expect(await move(0, 5, NOW + 5000)).toBe(true);
      expect(await move(0, 6, NOW + 5000)).toBe(false);
      expect(await move(5, 4, NOW + 5000)).toBe(false);
      expect(
        await targetCursors.acquireLease(target, bucket, lease('b', NOW + 4999)),
      ).toBeUndefined();
      expect(await move(5, 9)).toBe(true);
      expect(await move(9, 10)).toBe(false);
      expect(await targetCursors.get(target, bucket.id)).toEqual(at(9));
    });

    test('a failed cursor rests, and its failures count until it moves', async () => {
      const target = newTarget();
      const { targetCursors } = ports;
      const rest = (holder: string) =>
        targetCursors.backOff(target, bucket.id, { holder, until: NOW + 50 });
      await targetCursors.acquireLease(target, bucket, lease('a'));
      await rest('b');
      expect(await targetCursors.get(target, bucket.id)).toEqual(at(0));
      await rest('a');
      await rest('a');
      expect(await targetCursors.get(target, bucket.id)).toEqual(at(0, 1));
      expect(
        await targetCursors.acquireLease(target, bucket, lease('b', NOW + 49)),
      ).toBeUndefined();
      expect(await targetCursors.acquireLease(target, bucket, lease('b', NOW + 50))).toEqual(
        at(0, 1),
      );
      const still = { from: 0, to: 0, holder: 'b', until: NOW + 99 };
      expect(await targetCursors.advance(target, bucket.id, still)).toBe(true);
      expect(await targetCursors.get(target, bucket.id)).toEqual(at(0, 1));
      await targetCursors.advance(target, bucket.id, { from: 0, to: 1, holder: 'b' });
      expect(await targetCursors.get(target, bucket.id)).toEqual(at(1));
    });

    test('a removed cursor is gone and cannot be moved', async () => {
      const [target, other] = [newTarget(), newTarget()];
      const { targetCursors } = ports;
      await targetCursors.acquireLease(target, bucket, lease('a'));
      await targetCursors.initialize(other, bucket, 4);
      await targetCursors.remove(target, bucket.id);
      await targetCursors.remove(target, bucket.id);
      expect(await targetCursors.advance(target, bucket.id, { from: 0, to: 1, holder: 'a' })).toBe(
        false,
      );
      expect(await targetCursors.list(target)).toEqual([]);
      expect(await targetCursors.list(other)).toEqual([at(4)]);
    });
  });
}
