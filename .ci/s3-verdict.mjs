// Judges a run of the S3 contract suite on a server by others: `node s3-verdict.mjs <server> <endpoint> <jest's JSON>`.
//
// A server that claims to be S3 deviates from it here and there. s3-deviations.json names each test that a server fails,
// with the reason. A failure that is not named there fails the run, and so does a named one that passes or is gone.
import { readFileSync } from 'node:fs';

const [server, endpoint, report] = process.argv.slice(2);
const deviations = JSON.parse(readFileSync('.ci/s3-deviations.json', 'utf8'))[server];
const { testResults } = JSON.parse(readFileSync(report, 'utf8'));

const tests = testResults
  .flatMap((file) => file.assertionResults)
  .filter(({ ancestorTitles }) => ancestorTitles[0] === `S3 contract: ${endpoint}`)
  .map(({ ancestorTitles, title, status, failureMessages }) => ({
    name: [...ancestorTitles.slice(1), title].join(' › '),
    status,
    failureMessages,
  }));

let passed = 0;
let failed = 0;
const found = new Set();
for (const { name, status, failureMessages } of tests) {
  const deviation = Object.keys(deviations).find((start) => name.startsWith(start));
  if (deviation !== undefined) found.add(deviation);
  if (status === 'passed' && deviation === undefined) passed += 1;
  else if (status === 'failed' && deviation !== undefined)
    console.log(`deviates: ${deviation} (${deviations[deviation]})`);
  else {
    failed += 1;
    console.log(`${status}, which was not expected: ${name}\n${failureMessages.join('\n')}`);
  }
}
for (const gone of Object.keys(deviations).filter((start) => !found.has(start))) {
  failed += 1;
  console.log(`no test has the name of the deviation "${gone}"`);
}
console.log(`Tests: ${failed} failed, ${passed} passed, ${passed + failed} total`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
