import { spawnSync } from 'node:child_process';
import { commandOfProcess, startOfProcess } from '../../src/machine/processes';

/** A pid that no process has: that of one that has ended. */
const ended = () => spawnSync(process.execPath, ['-e', '']).pid;

// ps(1) exists on Linux as well.
test.each(['linux', 'darwin'] as const)('a process of %s has a start and a command', (platform) => {
  const start = startOfProcess(process.pid, platform);
  expect(start).not.toBeNull();
  expect(startOfProcess(process.pid, platform)).toBe(start);
  expect(commandOfProcess(process.pid, platform)).toContain('node');
  const pid = ended();
  expect(startOfProcess(pid, platform)).toBeNull();
  expect(commandOfProcess(pid, platform)).toBe('');
});

test('nothing is known about a process of Windows', () => {
  expect(startOfProcess(process.pid, 'win32')).toBeNull();
  expect(commandOfProcess(process.pid, 'win32')).toBe('');
});
