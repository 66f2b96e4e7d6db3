/** The completion scripts of `stowage`, in a real shell. */
import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { useCommandWorld } from './world';

jest.setTimeout(240_000);

const world = useCommandWorld();
const SCRIPT = path.join(__dirname, '../../../dist/cli/stowage.js');

/** What bash offers for a line whose end has the cursor. */
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

test('bash completes commands, options and the values of options', () => {
  expect(bash('stowage ver')).toEqual(['versions']);
  expect(bash('stowage ls --rec')).toEqual(['--recursive']);
  expect(bash('stowage watch --transport w')).toEqual(['websocket']);
  expect(bash('stowage completion z')).toEqual(['zsh']);
  expect(bash('stowage restore-backup re')).toEqual(['repair']);
  expect(bash('stowage restore-backup repair --mo')).toEqual(['--moment']);
});

test('bash completes buckets, and the folders and keys in them', async () => {
  const bucket = await world.newBucket('2026/a', '2026/b', 'c', 'odd $(name)');
  expect(bash(`stowage ls ${bucket.slice(0, -2)}`)).toEqual([`${bucket}:`]);
  // What is before the last colon stays as it is typed.
  expect(bash(`stowage cp ${bucket}:20`)).toEqual(['2026/']);
  expect(bash(`stowage cp -r ${bucket}:2026/`)).toEqual(['2026/a', '2026/b']);
  expect(bash(`stowage cat ${bucket}:`)).toEqual(['2026/', 'c']);
  expect(bash('stowage ls no-such-bucket:')).toEqual(['']);
});
