/**
 * Checks the report that `npm run emulate -- --iam-report FILE` wrote: no call of a function was
 * refused, and each grant was needed by some call. `tsx test/grants/judge.ts FILE`.
 */
import { readFileSync } from 'node:fs';
import type { AccessReport } from '../../emulator/src/iam/access-report';

const [file = ''] = process.argv.slice(2);
const { roles }: AccessReport = JSON.parse(readFileSync(file, 'utf8'));
const all = Object.entries(roles);
const grants = all.flatMap(([, { grants: own }]) => own);
const problems = all.flatMap(([role, { grants: own, refused }]) => [
  ...refused.map((call) => `${role} was refused ${call}`),
  ...own
    .filter(({ neededBy }) => neededBy === undefined)
    .map(({ neededBy, ...grant }) => `${role} did not need ${JSON.stringify(grant)}`),
]);
for (const problem of problems) console.error(problem);
console.log(`${grants.length} grants of ${all.length} roles, ${problems.length} problems`);
if (all.length === 0 || problems.length > 0) process.exitCode = 1;
