/**
 * The flags of the command that runs a stack. Plain CommonJS without dependencies: `npm start`
 * checks them before it installs or builds anything. Types are in flags.d.cts.
 */
const { parseArgs } = require('node:util');

/** How many ports `--ports` uses from its value on; the other REST APIs follow them. */
const PORT_FLAGS = ['port', 's3-port', 'dynamodb-port', 'sqs-port', 'oidc-port'];
const FIRST_API = 10;

const PORT = { value: 'PORT', parse: parsePort };
const SECONDS = { value: 'SECONDS', parse: parseSeconds };

const FLAGS = {
  'cdk-out': { value: 'FOLDER', help: 'the output of cdk synth (cdk.out)' },
  stack: { value: 'NAME', help: 'the stack to run (the only one)' },
  data: { value: 'FOLDER', help: 'holds all data (.emulated)' },
  ports: { value: 'PORT', parse: parseBase, help: 'moves all ports: the first of 20 (7070)' },
  port: { ...PORT, help: 'of the REST API (7070); 0: any free port' },
  's3-port': { ...PORT, help: '(7071)' },
  'dynamodb-port': { ...PORT, help: '(7072)' },
  'sqs-port': { ...PORT, help: '(7073)' },
  'oidc-port': { ...PORT, help: 'of the sign-in page (7074)' },
  'api-port': {
    ...PORT,
    help: 'of the first of the other REST APIs (7080), the next ones follow',
  },
  'lambda-concurrency': {
    value: 'N',
    parse: parseCount,
    help: 'concurrent executions of the account (1000); new accounts have 10',
  },
  'websocket-idle': { ...SECONDS, help: 'closes a silent connection (600)' },
  'websocket-lifetime': { ...SECONDS, help: 'closes every connection (7200)' },
  'websocket-faults': {
    value: 'RATES',
    help: 'drop=0.2,repeat=0.2,reorder=0.2,cut=0.001,drop-disconnect=1,shuffle=0.2,hold=50,seed=7',
  },
  'sqs-faults': { value: 'RATES', help: 'repeat=0.2,overlap=0.1,shuffle=1,seed=7' },
  'stream-faults': {
    value: 'RATES',
    help: "of the tables' streams: repeat=0.2,late=50,shards=8,seed=7",
  },
  'stream-poll': {
    value: 'MS',
    parse: parseMilliseconds,
    help: 'between polls of a stream (250, as in AWS); 0: consumers are woken at once',
  },
  's3-endpoint': {
    value: 'URL',
    help: 'another S3 server, also as environment variable S3_ENDPOINT',
  },
  'dynamodb-endpoint': { value: 'URL', help: 'another DynamoDB server, also as DYNAMODB_ENDPOINT' },
  'iam-report': {
    value: 'FILE',
    help: 'written at the end: the grants that the functions needed, and the refusals',
  },
  'logs-to-stderr': { help: 'functions log to standard error, not to FOLDER/logs' },
  help: { help: 'prints this' },
};

/** A command line that cannot be run; the message says what to write instead. */
class FlagError extends Error {}

function usage() {
  const lines = Object.entries(FLAGS).map(([name, { value, help }]) => {
    const flag = `  --${name}${value === undefined ? '' : ` ${value}`}`;
    return flag.length < 27 ? `${flag.padEnd(29)}${help}` : `${flag}\n${' '.repeat(29)}${help}`;
  });
  return `Runs a synthesized stack on this machine.\n\n${lines.join('\n')}\n`;
}

/** Returns the values by name, ports and seconds as numbers. Throws FlagError. */
function parseFlags(argv) {
  const options = Object.fromEntries(
    Object.entries(FLAGS).map(([name, { value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string' },
    ]),
  );
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const values = {};
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      throw new FlagError(`unexpected argument ${token.value}: every option begins with --`);
    }
    Object.assign(values, readValue(token));
  }
  return withPorts(values);
}

function readValue({ name, rawName, value }) {
  const flag = Object.hasOwn(FLAGS, name) && rawName.startsWith('--') ? FLAGS[name] : undefined;
  if (flag === undefined) {
    const near = nearest(name);
    const hint = near === undefined ? 'see --help' : `did you mean --${near}?`;
    throw new FlagError(`${rawName} is not an option; ${hint}`);
  }
  if (flag.value === undefined) {
    if (value !== undefined) throw new FlagError(`--${name} takes no value, got ${value}`);
    return { [name]: true };
  }
  if (value === undefined || value === '') {
    throw new FlagError(`--${name} needs a value: --${name} ${flag.value}`);
  }
  return { [name]: flag.parse === undefined ? value : flag.parse(`--${name}`, value) };
}

/** Replaces `ports` by the ports that no other flag sets. */
function withPorts({ ports, ...values }) {
  if (ports === undefined) return values;
  const at = (offset) => (ports === 0 ? 0 : ports + offset);
  const moved = PORT_FLAGS.map((name, index) => [name, at(index)]);
  return { ...Object.fromEntries(moved), 'api-port': at(FIRST_API), ...values };
}

function parsePort(flag, text) {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new FlagError(`${flag} must be 0 to 65535, got ${text}`);
  }
  return port;
}

function parseBase(flag, text) {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_516) {
    throw new FlagError(`${flag} must be 0 to 65516, got ${text}`);
  }
  return port;
}

function parseCount(flag, text) {
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new FlagError(`${flag} must be a whole number from 1 to 999999, got ${text}`);
  }
  return Number(text);
}

function parseSeconds(flag, text) {
  const seconds = Number(text);
  if (!/^\d{1,7}(\.\d{1,6})?$/.test(text) || seconds === 0 || seconds > 1_000_000) {
    throw new FlagError(`${flag} must be a number of seconds above 0, got ${text}`);
  }
  return seconds;
}

function parseMilliseconds(flag, text) {
  if (!/^\d{1,5}$/.test(text)) {
    throw new FlagError(`${flag} must be a whole number of milliseconds up to 99999, got ${text}`);
  }
  return Number(text);
}

/** The flag with the fewest letters to change; undefined when more than two of them differ. */
function nearest(given) {
  const [best] = Object.keys(FLAGS)
    .map((name) => ({ name, distance: distance(given, name) }))
    .sort((a, b) => a.distance - b.distance);
  return best.distance <= 2 ? best.name : undefined;
}

/** Levenshtein's: letters to insert, remove or replace. */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min(row[j + 1] + 1, next[j] + 1, row[j] + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length];
}

module.exports = { FlagError, parseFlags, usage };
