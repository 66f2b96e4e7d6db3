/** `stowage COMMAND`: docs/cli.md. */
import { CommanderError } from 'commander';
import { start } from './operate/commands';
import { stowageProgram } from './program';
import { EXIT, UsageError } from './shared/errors';

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  const isHelp = name === 'help' && rest[0] === 'start';
  try {
    if (name === 'start' || isHelp) {
      await start(isHelp ? ['--help'] : rest);
      return Number(process.exitCode ?? EXIT.done);
    }
    await stowageProgram().parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    if (error instanceof UsageError) process.stderr.write(`stowage: ${error.message}\n`);
    else if (!(error instanceof CommanderError)) throw error;
    // Asked for, the help and the version are results; everything else is a mistake.
    return error instanceof CommanderError && error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
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
