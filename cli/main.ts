/** Runs a command line of `stowage`, except `stowage start`. */
import { CommanderError } from 'commander';
import { stowageProgram } from './program';
import { EXIT, type ExitCode, exitCodeOf, Reported, UsageError } from './shared/errors';

/** Returns the exit code. Throws only what a command line cannot cause. */
export async function runCommandLine(args: readonly string[]): Promise<ExitCode> {
  try {
    await stowageProgram().parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof Reported) return exitCodeOf(error);
    if (error instanceof UsageError) process.stderr.write(`stowage: ${error.message}\n`);
    else if (!(error instanceof CommanderError)) throw error;
    // Help and version are results when the user asks for them; everything else is a mistake.
    return error instanceof CommanderError && error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}
