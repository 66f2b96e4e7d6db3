/** Runs command lines of `stowage` in the process of the test, without the start of a process. */
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../../cli/main';

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  /** The working directory. @default that of the test */
  readonly folder?: string;
  /** All environment variables. */
  readonly env: NodeJS.ProcessEnv;
  /** Standard input. @default '' */
  readonly input?: string;
}

/** Command lines share the globals of the process, so that one waits for the other. */
let last: Promise<unknown> = Promise.resolve();

export function runInProcess(args: readonly string[], around: Surroundings): Promise<Ended> {
  const ended = last.then(() => runNext(args, around));
  last = ended.catch(() => undefined);
  return ended;
}

async function runNext(args: readonly string[], around: Surroundings): Promise<Ended> {
  const [stdout, stderr] = [collector(), collector()];
  const folder = process.cwd();
  const restore = replace({
    env: around.env,
    stdin: Readable.from(around.input ? [Buffer.from(around.input)] : []),
    stdout: stdout.stream,
    stderr: stderr.stream,
  });
  process.chdir(around.folder ?? folder);
  try {
    const status = await runCommandLine(args);
    return { status, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(folder);
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
