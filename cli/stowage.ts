/** `stowage COMMAND`: docs/cli.md. */
import { runCommandLine } from './main';
import { start } from './operate/commands';
import { EXIT } from './shared/errors';

async function main(args: readonly string[]): Promise<number | string> {
  const [name, ...rest] = args;
  const isHelp = name === 'help' && rest[0] === 'start';
  if (name !== 'start' && !isHelp) return runCommandLine(args);
  await start(isHelp ? ['--help'] : rest);
  return process.exitCode ?? EXIT.done;
}

// A reader of the output may leave before its end: `stowage --help | head`. The session of a
// command replaces this.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`stowage: the output cannot be written: ${error.message}\n`);
  process.exit(EXIT.failed);
});

void main(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
