/** The flags of the command that runs a stack. */
import { FlagError, parseFlags } from '../../src/command/flags.cjs';

test('parseFlags returns ports and times as numbers', () => {
  expect(parseFlags(['--port', '8000', '--websocket-idle=1.5', '--stream-poll', '0'])).toEqual({
    port: 8000,
    'websocket-idle': 1.5,
    'stream-poll': 0,
  });
});

test('--ports moves every port that no other flag sets', () => {
  expect(parseFlags(['--s3-port', '9999', '--ports', '7370'])).toEqual({
    port: 7370,
    's3-port': 9999,
    'dynamodb-port': 7372,
    'sqs-port': 7373,
    'oidc-port': 7374,
    'api-port': 7380,
  });
  expect(new Set(Object.values(parseFlags(['--ports', '0'])))).toEqual(new Set([0]));
});

test.each([
  [['--prot', '1'], '--prot is not an option; did you mean --port?'],
  [['--colour'], '--colour is not an option; see --help'],
  [['-p'], '-p is not an option; see --help'],
  [['--__proto__'], '--__proto__ is not an option; see --help'],
  [['--port', 'abc'], '--port must be 0 to 65535, got abc'],
  [['--port', '65536'], '--port must be 0 to 65535, got 65536'],
  [['--ports', '65517'], '--ports must be 0 to 65516, got 65517'],
  [['--port'], '--port needs a value: --port PORT'],
  [['--help=1'], '--help takes no value, got 1'],
  [['--websocket-idle', '0'], '--websocket-idle must be a number of seconds above 0, got 0'],
  [
    ['--stream-poll', '-1'],
    '--stream-poll must be a whole number of milliseconds up to 99999, got -1',
  ],
  [['8000'], 'unexpected argument 8000: every option begins with --'],
])('parseFlags refuses %j with the correction in its message', (args, message) => {
  expect(() => parseFlags(args)).toThrow(new FlagError(message));
});
