import { newName } from '../../support/samples';
import type { DataPorts, OpenData } from '../subjects/data-subjects';

export function serviceStateContract(name: string, open: OpenData): void {
  describe(`ServiceState: ${name}`, () => {
    let ports: DataPorts;
    beforeAll(async () => {
      ports = await open();
    });
    afterAll(() => ports.close());

    test('load returns the value that was saved last', async () => {
      const place = newName();

      expect(await ports.serviceState.load(place)).toBeUndefined();
      await ports.serviceState.save(place, 'first');
      await ports.serviceState.save(place, '😀');

      expect(await ports.serviceState.load(place)).toBe('😀');
    });

    test('once returns the value of the first caller to all concurrent and later callers', async () => {
      const secret = newName();
      const initials = Array.from({ length: 10 }, (_, index) => `secret ${index}`);

      const values = await Promise.all(
        initials.map((initial) => ports.serviceState.once(secret, initial)),
      );

      const [first = ''] = values;
      expect(initials).toContain(first);
      expect(values).toEqual(initials.map(() => first));
      expect(await ports.serviceState.once(secret, 'later')).toBe(first);
      expect(await ports.serviceState.load(secret)).toBe(first);
    });
  });
}
