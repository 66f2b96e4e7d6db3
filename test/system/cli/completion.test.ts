/** The completion of `stowage`, also in a real shell. */
import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { useCommandWorld } from './world';

jest.setTimeout(240_000);

const world = useCommandWorld();
const SCRIPT = path.join(__dirname, '../../../dist/cli/stowage.js');

/** Returns what bash offers for a line with the cursor at its end. */
function bash(line: string): readonly string[] {
  const program = world.write(
    'bin/stowage',
    `#!/bin/sh\nexec '${process.execPath}' '${SCRIPT}' "$@"\n`,
  );
  chmodSync(path.join(world.folder, program), 0o755);
  const text = `
    source <(stowage completion bash)
    compopt() { :; }
    COMP_LINE=$1 COMP_POINT=\${#1}
    _stowage
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = {
    PATH: `${path.join(world.folder, 'bin')}:${process.env.PATH}`,
    XDG_CONFIG_HOME: world.folder,
    STOWAGE_URL: world.service.baseUrl,
    STOWAGE_KEY: world.service.apiKey,
  };
  const output = execFileSync('bash', ['-c', text, 'bash', line], { encoding: 'utf8', env });
  return output.split('\n').slice(0, -1);
}

/** Returns what a completion script receives for these words. */
const candidates = (...words: string[]) => world.stowage.lines('__complete', '--', ...words);

test.each([
  [['ver'], 'versions'],
  [['ls', '--rec'], '--recursive'],
  [['watch', '--transport', 'w'], 'websocket'],
  [['completion', 'z'], 'zsh'],
  [['restore-backup', 're'], 'repair'],
  [['restore-backup', 'repair', '--mo'], '--moment'],
])('%j is completed to %s', async (words, completed) => {
  expect(await candidates(...words)).toEqual([completed]);
});

test('buckets, and the folders and keys in them, are completed', async () => {
  const bucket = await world.newBucket('2026/a', '2026/b', 'c', 'odd $(name)');
  expect(await candidates('ls', bucket.slice(0, -2))).toEqual([`${bucket}:`]);
  const below = [`${bucket}:2026/a`, `${bucket}:2026/b`];
  expect(await candidates('cp', '-r', `${bucket}:2026/`)).toEqual(below);
  expect(await candidates('cat', `${bucket}:`)).toEqual([`${bucket}:2026/`, `${bucket}:c`]);
  expect(await candidates('ls', 'no-such-bucket:')).toEqual([]);
});

test('bash completes what follows the last colon of an address', async () => {
  const bucket = await world.newBucket('2026/a', '2026/b');
  expect(bash(`stowage cp ${bucket}:20`)).toEqual(['2026/']);
  expect(bash('stowage ls no-such-bucket:')).toEqual(['']);
});
