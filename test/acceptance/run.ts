/**
 * Runs the acceptance suite against a target that is already running, or with `--serve` against the
 * service in one process, which it starts in a folder of its own.
 *
 *   STOWAGE_URL=https://… STOWAGE_KEY=osk_… npm run acceptance
 *   npm run acceptance -- --serve
 *
 * Other arguments are jest's: `npm run acceptance -- ranges -t suffix`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Entry, readInventory } from './inventory';
import { EXCEPTIONS } from './served/exceptions';
import { serve } from './served/serve';
import { CAPABILITIES, switchedOff } from './support/capabilities';
import { describedResponses } from './support/document';
import { apiKey, baseUrl, makeKeyCommand } from './support/target';

/** Prints which behaviours this run leaves out, and why: a passing run may not be a full one. */
function reportLeftOut(
  entries: readonly Entry[],
  off: ReadonlySet<keyof typeof CAPABILITIES>,
): void {
  if (off.size === 0) return;
  const out = entries.filter((entry) => entry.needs.some((need) => off.has(need)));
  console.log(`left out: ${out.length} of ${entries.length} behaviours`);
  for (const name of off) {
    const lacking = out.filter((entry) => entry.needs.includes(name));
    console.log(`\nno ${name} (${CAPABILITIES[name]}): ${lacking.length}`);
    for (const { group, name: behaviour } of lacking) console.log(`  - ${group}: ${behaviour}`);
  }
  console.log();
}

/** Prints the exceptions of a server. Throws when one is not the name of exactly one behaviour. */
function reportExceptions(entries: readonly Entry[]): void {
  const exceptions = Object.entries(EXCEPTIONS);
  console.log(`not of one process: ${exceptions.length} of ${entries.length} behaviours`);
  for (const [name, reason] of exceptions) {
    const named = entries.filter((entry) => entry.name === name);
    if (named.length !== 1) throw new Error(`${named.length} behaviours have the name "${name}"`);
    console.log(`  - ${named[0]?.group}: ${name}: ${reason}`);
  }
  console.log();
}

/** Throws when the target or a setting is missing, instead of letting 300 tests fail. */
async function requireTarget(off: ReadonlySet<keyof typeof CAPABILITIES>): Promise<void> {
  if (!off.has('restricted-keys')) makeKeyCommand();
  const url = `${baseUrl()}/api/v2/storage/buckets?limit=1`;
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${apiKey()}` },
    signal: AbortSignal.timeout(60_000),
  });
  if (response.status !== 200) {
    throw new Error(
      `GET ${url} returned ${response.status}: ${(await response.text()).slice(0, 300)}`,
    );
  }
}

/** Prints how many of the responses in the OpenAPI document the run received. */
function reportDocument(tally: string): void {
  const seen = new Map<string, number>();
  for (const line of readFileSync(tally, 'utf8').split('\n').filter(Boolean)) {
    const [count, ...id] = line.split(' ');
    seen.set(id.join(' '), (seen.get(id.join(' ')) ?? 0) + Number(count));
  }
  const described = describedResponses();
  const responses = [...seen.values()].reduce((sum, count) => sum + count, 0);
  const met = described.filter((id) => seen.has(id)).length;
  console.log(
    `OpenAPI: ${responses} responses checked, ${met} of ${described.length} described ones received`,
  );
}

/** Returns the path of the OpenAPI document, downloaded when OPENAPI is a URL. */
async function documentFile(folder: string): Promise<string> {
  const { OPENAPI = '' } = process.env;
  if (!/^https?:/.test(OPENAPI)) return OPENAPI;
  const response = await fetch(OPENAPI, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`GET ${OPENAPI} returned ${response.status}`);
  const file = path.join(folder, 'openapi.json');
  writeFileSync(file, await response.text());
  return file;
}

async function main(): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'stowage-acceptance-'));
  const [given, isServing] = argumentsOf(process.argv.slice(2));
  let stop = async (): Promise<void> => undefined;
  try {
    if (isServing) {
      const served = await serve(path.join(folder, 'data'));
      stop = served.stop;
      Object.assign(process.env, served.environment, {
        EXCEPT: Object.keys(EXCEPTIONS).join('\n'),
      });
    }
    return await runSuite(folder, given);
  } finally {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function argumentsOf(given: readonly string[]): [rest: readonly string[], isServing: boolean] {
  const rest = given.filter((argument) => argument !== '--serve');
  return [rest, rest.length < given.length];
}

async function runSuite(folder: string, given: readonly string[]): Promise<number> {
  const tally = path.join(folder, 'tally');
  writeFileSync(tally, '');
  const environment = { ...process.env, TALLY: tally, OPENAPI: await documentFile(folder) };
  const off = switchedOff();
  await requireTarget(off);
  const entries = readInventory();
  reportLeftOut(entries, off);
  if (process.env.EXCEPT !== undefined) reportExceptions(entries);
  // A spec that is left out as a whole is not given to jest, which would count it as failed.
  const kept = entries.filter((entry) => !entry.needs.some((need) => off.has(need)));
  const files = [...new Set(kept.map((entry) => entry.file))];
  const asked = given.filter((argument) => files.some((file) => file.includes(argument)));
  const chosen = files.filter(
    (file) => asked.length === 0 || asked.some((word) => file.includes(word)),
  );
  const run = spawn(
    process.execPath,
    [
      path.join(path.dirname(require.resolve('jest/package.json')), 'bin', 'jest.js'),
      ...['--config', path.join(__dirname, 'jest.config.js')],
      ...given.filter((argument) => !asked.includes(argument)),
      ...['--runTestsByPath', ...chosen],
    ],
    { stdio: 'inherit', env: environment },
  );
  const [status] = await once(run, 'close');
  reportDocument(tally);
  return status ?? 1;
}

main().then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
