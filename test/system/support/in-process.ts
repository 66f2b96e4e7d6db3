/** Runs command lines of `stowage` in the process of the test, without the start of a process. */
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../../cli/main';
import type { Ended } from './running-command';

export type { Ended };

export interface Surroundings {
  /** The working directory. @default that of the test */
  readonly folder?: string;
  /** All environment variables. */
  readonly env: NodeJS.ProcessEnv;
  /** Standard input. @default '' */
  readonly input?: string | Buffer;
}

const FOLDER = process.cwd();

// A command line that outlives its test must not leave the next test file in a removed folder.
afterAll(() => process.chdir(FOLDER));

/** Command lines share the globals of the process, so that one waits for the other. */
let last: Promise<unknown> = Promise.resolve();

export function runInProcess(args: readonly string[], around: Surroundings): Promise<Ended> {
  const ended = last.then(() => runNext(args, around));
  last = ended.catch(() => undefined);
  return ended;
}

async function runNext(args: readonly string[], around: Surroundings): Promise<Ended> {
  const [stdout, stderr] = [collector(), collector()];
  const restore = replace({
    env: around.env,
    stdin: Readable.from(around.input?.length ? [Buffer.from(around.input)] : []),
    stdout: stdout.stream,
    stderr: stderr.stream,
  });
  process.chdir(around.folder ?? FOLDER);
  try {
    const status = await runCommandLine(args);
    return { status, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(FOLDER);
    restore();
  }
}

/** Replaces properties of the process as the test and the command see it, until `restore`. */
function replace(values: Readonly<Record<string, unknown>>): () => void {
  const restored = Object.keys(values).map((name) => {
    const before = Object.getOwnPropertyDescriptor(process, name);
    Object.defineProperty(process, name, { configurable: true, value: values[name] });
    return () => Object.defineProperty(process, name, before ?? { value: undefined });
  });
  return () => {
    for (const restore of restored) restore();
  };
}

function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}
