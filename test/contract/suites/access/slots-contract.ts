import type { SlotRequest } from '../../../../core/access/ports';
import { newName } from '../../../support/samples';
import type { DataPorts, OpenData } from '../../subjects/data-subjects';

const NOW = Date.UTC(2026, 10, 20, 14, 20);
const UNTIL = NOW + 20_000;

export function slotsContract(name: string, open: OpenData): void {
  describe(`Slots: ${name}`, () => {
    let ports: DataPorts;
    let key: string;
    beforeAll(async () => {
      ports = await open();
    }, 30_000);
    beforeEach(() => {
      key = newName();
    });
    afterAll(() => ports.close());

    const take = (holder: string, change: Partial<SlotRequest> = {}) =>
      ports.slots.take(key, 'wait', { limit: 2, holder, now: NOW, until: UNTIL, ...change });
    const release = (holder: string) => ports.slots.release(key, 'wait', holder);

    test('take succeeds up to the limit of a key, and again after a release', async () => {
      expect(await take('a')).toBe(true);
      expect(await take('b')).toBe(true);
      expect(await take('c')).toBe(false);
      await release('a');
      expect(await take('c')).toBe(true);
      expect(await take('a')).toBe(false);
    });

    test('holders returns each holder with the end of its slot', async () => {
      expect(await ports.slots.holders(key, 'wait')).toEqual(new Map());
      await take('a');
      await take('b=/+ c', { until: UNTIL + 0.25 });
      expect(await ports.slots.holders(key, 'wait')).toEqual(
        new Map([
          ['a', UNTIL],
          ['b=/+ c', UNTIL + 0.25],
        ]),
      );
    });

    test('a release of one slot leaves a later slot of the same holder', async () => {
      await take('a');
      await take('a', { until: UNTIL + 0.25 });
      await ports.slots.release(key, 'wait', 'a', UNTIL);
      expect((await ports.slots.holders(key, 'wait')).get('a')).toBe(UNTIL + 0.25);
      await ports.slots.release(key, 'wait', 'a', UNTIL + 0.25);
      expect(await ports.slots.holders(key, 'wait')).toEqual(new Map());
    });

    test('a limit of 0 leaves no slot', async () => {
      expect(await take('a', { limit: 0 })).toBe(false);
      expect(await take('a')).toBe(true);
      expect(await take('b', { limit: 0 })).toBe(false);
    });

    test('a slot that nobody releases is free when its time is over', async () => {
      await take('a', { until: NOW + 100 });
      await take('b');
      expect(await take('c', { now: NOW + 99 })).toBe(false);
      expect(await take('c', { now: NOW + 100 })).toBe(true);
      expect(await take('d', { now: NOW + 100 })).toBe(false);
    });

    test('a holder that takes its slot again extends it', async () => {
      await take('a', { until: NOW + 100 });
      await take('b', { until: NOW + 100 });
      expect(await take('a')).toBe(true);
      expect(await take('c', { now: NOW + 100 })).toBe(true);
      expect(await take('d', { now: NOW + 100 })).toBe(false);
    });

    test('slots of another key, and releases of other holders, change nothing', async () => {
      const other = newName();
      const request = { limit: 2, holder: 'a', now: NOW, until: UNTIL };
      await ports.slots.release(other, 'wait', 'a');
      for (const holder of ['a', 'b']) await take(holder);
      expect(await ports.slots.take(other, 'wait', request)).toBe(true);
      await release('c');
      await ports.slots.release(other, 'wait', 'b');
      expect(await take('c')).toBe(false);
    });

    test('concurrent requests never get more slots than the limit', async () => {
      const many = (prefix: string, now: number) =>
        Promise.all(
          Array.from({ length: 12 }, (_, n) =>
            take(`${prefix}${n}`, { limit: 5, now, until: now + 100 }),
          ),
        );
      const granted = async (prefix: string, now: number) =>
        (await many(prefix, now)).filter((isTaken) => isTaken).length;
      expect(await granted('a', NOW)).toBe(5);
      expect(await granted('b', NOW + 99)).toBe(0);
      // All five have expired, and each is freed once.
      const later = await granted('c', NOW + 100);
      expect(later).toBeGreaterThanOrEqual(1);
      expect(later).toBeLessThanOrEqual(5);
    });

    test('more expired slots than one update frees leave room for the next holder', async () => {
      const holders = Array.from({ length: 120 }, (_, n) => `old-${n}`);
      for (const holder of holders) await take(holder, { limit: 120, until: NOW + 1 });
      expect(await take('new', { limit: 100, now: NOW + 1 })).toBe(true);
      expect(await take('next', { limit: 1, now: NOW + 1 })).toBe(false);
    });

    test('expired slots beyond a lower limit are freed', async () => {
      const holders = Array.from({ length: 120 }, (_, n) => `old-${n}`);
      for (const holder of holders) await take(holder, { limit: 120, until: NOW + 1 });
      expect(await take('new', { limit: 2, now: NOW + 1 })).toBe(true);
      expect([...(await ports.slots.holders(key, 'wait')).keys()]).toContain('new');
    });

    test('expired slots are freed although the others leave no room', async () => {
      for (const holder of ['a', 'b']) await take(holder);
      await take('c', { limit: 3, until: NOW + 1 });
      expect(await take('d', { now: NOW + 1 })).toBe(false);
      const left = await ports.slots.holders(key, 'wait');
      expect([...left.keys()].sort()).toEqual(['a', 'b']);
    });
  });
}
