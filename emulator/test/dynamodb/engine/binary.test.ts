import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../../src/errors/user-error';
import { engineBinary } from '../../../src/services/dynamodb/engine/binary';
import { useFolder } from '../../support/clean-up';

function useProgram(name: string, mode = 0o755): string {
  const file = path.join(useFolder(), name);
  writeFileSync(file, '');
  chmodSync(file, mode);
  return file;
}

const OTHER = 'plan9-mips';

test('the packaged engine runs where npm has installed one', () => {
  expect(engineBinary({}, 'linux-x64')).toMatch(/@dynoxide[/\\]linux-x64[/\\]dynoxide$/);
});

test('an engine of the PATH runs on other platforms', () => {
  const file = useProgram('dynoxide');
  const PATH = ['', '/nowhere', path.dirname(file)].join(path.delimiter);
  expect(engineBinary({ PATH }, OTHER)).toBe(file);
  const windows = useProgram('dynoxide.exe');
  expect(engineBinary({ PATH: path.dirname(windows) }, 'win32-x64')).toBe(windows);
});

test('DYNAMODB_ENGINE comes before the packaged engine', () => {
  const file = useProgram('engine');
  expect(engineBinary({ DYNAMODB_ENGINE: file }, 'linux-x64')).toBe(file);
});

test.each([
  ['a file that is missing', () => '/nowhere/dynoxide'],
  ['a file that is not executable', () => useProgram('engine', 0o644)],
  ['a folder', () => useFolder()],
])('DYNAMODB_ENGINE refuses %s', (_, file) => {
  expect(() => engineBinary({ DYNAMODB_ENGINE: file() })).toThrow(UserError);
});

test('a platform without an engine gets the two ways to have one', () => {
  const call = () => engineBinary({ PATH: useFolder() }, OTHER);
  expect(call).toThrow(UserError);
  expect(call).toThrow(/cargo install .*DYNAMODB_ENDPOINT/);
});
