import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const steps: (() => unknown)[] = [];

afterEach(async () => {
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) await step();
});

/** Runs `step` after the current test. The last step registered runs first. */
export function afterTest(step: () => unknown): void {
  steps.push(step);
}

/** Creates a temporary folder that is removed after the current test. */
export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'emulator-'));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
