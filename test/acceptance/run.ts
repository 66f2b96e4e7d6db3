/**
 * Runs the acceptance suite against a target that is already running; starts nothing.
 *
 *   BASE_URL=https://… API_KEY=osk_… MAKE_KEY='npm run --silent create-key --' npm run acceptance
 *
 * Arguments are jest's: `npm run acceptance -- ranges -t suffix`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Entry, readInventory } from './inventory';
import { CAPABILITIES, switchedOff } from './support/capabilities';
import { describedAnswers } from './support/document';
import { apiKey, baseUrl, makeKeyCommand } from './support/target';

/** Says what is not judged, and why, so that a green run cannot be mistaken for a full one. */
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

/** Refuses at once, with what is missing, instead of failing 300 times. */
async function requireTarget(off: ReadonlySet<keyof typeof CAPABILITIES>): Promise<void> {
  if (!off.has('restricted-keys')) makeKeyCommand();
  const url = `${baseUrl()}/api/v2/storage/buckets?limit=1`;
  const answer = await fetch(url, {
    headers: { authorization: `Bearer ${apiKey()}` },
    signal: AbortSignal.timeout(60_000),
  });
  if (answer.status !== 200) {
    throw new Error(`GET ${url} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
  }
}

/**
 * How much of the OpenAPI document the run has seen; every answer that it saw agrees with it, or a
 * behaviour failed.
 */
function reportDocument(tally: string): void {
  const seen = new Map<string, number>();
  for (const line of readFileSync(tally, 'utf8').split('\n').filter(Boolean)) {
    const [count, ...id] = line.split(' ');
    seen.set(id.join(' '), (seen.get(id.join(' ')) ?? 0) + Number(count));
  }
  const described = describedAnswers();
  const answers = [...seen.values()].reduce((sum, count) => sum + count, 0);
  const met = described.filter((id) => seen.has(id)).length;
  console.log(`OpenAPI: ${answers} answers judged, ${met} of ${described.length} described met`);
}

/** The document by path or URL, as a path. */
async function documentFile(folder: string): Promise<string> {
  const { OPENAPI = '' } = process.env;
  if (!/^https?:/.test(OPENAPI)) return OPENAPI;
  const answer = await fetch(OPENAPI, { signal: AbortSignal.timeout(60_000) });
  if (!answer.ok) throw new Error(`GET ${OPENAPI} answered ${answer.status}`);
  const file = path.join(folder, 'openapi.json');
  writeFileSync(file, await answer.text());
  return file;
}

async function main(): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'acceptance-'));
  try {
    return await judge(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function judge(folder: string): Promise<number> {
  const tally = path.join(folder, 'tally');
  writeFileSync(tally, '');
  const environment = { ...process.env, TALLY: tally, OPENAPI: await documentFile(folder) };
  const off = switchedOff(process.env.CAPABILITIES ?? '');
  await requireTarget(off);
  const entries = readInventory();
  reportLeftOut(entries, off);
  // A spec that is left out as a whole is not given to jest, which would count it as failed.
  const kept = entries.filter((entry) => !entry.needs.some((need) => off.has(need)));
  const files = [...new Set(kept.map((entry) => entry.file))];
  const given = process.argv.slice(2);
  const asked = given.filter((argument) => files.some((file) => file.includes(argument)));
  const chosen = files.filter(
    (file) => asked.length === 0 || asked.some((word) => file.includes(word)),
  );
  const { status } = spawnSync(
    process.execPath,
    [
      path.join(path.dirname(require.resolve('jest/package.json')), 'bin', 'jest.js'),
      ...['--config', path.join(__dirname, 'jest.config.js')],
      ...given.filter((argument) => !asked.includes(argument)),
      ...['--runTestsByPath', ...chosen],
    ],
    { stdio: 'inherit', env: environment },
  );
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
