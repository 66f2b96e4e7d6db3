import { execFileSync } from 'node:child_process';
import path from 'node:path';

// In a process of its own: the specs are loaded without jest's globals.
const inventory = execFileSync(
  process.execPath,
  [require.resolve('tsx/cli'), path.join(__dirname, 'inventory.ts')],
  { encoding: 'utf8', timeout: 60_000, env: { ...process.env, CAPABILITIES: '' } },
);

describe('The acceptance suite', () => {
  it('names every behaviour of a group once', () => {
    const groups = inventory.split('\n## ').slice(1);
    for (const group of groups) {
      const names = group.split('\n').filter((line) => line.startsWith('- '));
      expect(names).toEqual([...new Set(names)]);
      expect(names.length).toBeGreaterThan(0);
    }
  });
});
