import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { ObjectStorage } from '../../../lib';

export const RUNBOOK = readFileSync(path.join(__dirname, '../../../docs/runbook.md'), 'utf8');

/**
 * The sections of the runbook, except those about targets, whose alarms are created with the first
 * target: test/lib/targets/change-targets.test.ts.
 */
export function sections(): readonly string[] {
  return [...RUNBOOK.matchAll(/^## (.+)$/gm)]
    .map(([, heading = '']) => heading)
    .filter((heading) => !heading.startsWith('targets-'));
}

/** Creates the function for principals of the account, and its alarm. */
export function grant(storage: ObjectStorage, stack: Stack): void {
  storage.grantRead(new iam.User(stack, 'User'));
}
