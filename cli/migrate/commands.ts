/** The command `migrate`. */
import type { Command } from 'commander';
import { examples, wholeNumber } from '../shared/help';
import { act } from '../shared/session';
import type { MigrateOptions } from './migrate-command';

export function migrateCommands(program: Command): void {
  program.commandsGroup('Many files:');
  const command = program
    .command('migrate')
    .description('copy buckets to another service while they are in use, and keep them in step')
    .argument('[bucket...]', 'the buckets (default: all)')
    .requiredOption('--to <profile>', "the other service: a profile of 'stowage login'")
    .option('--once', 'end when the other service has caught up, and compare both')
    .option('--into-existing', 'also into buckets of the other service that have other objects')
    .option('--parallel <n>', 'objects at the same time', wholeNumber('--parallel', 1), 8)
    .option(
      '--interval <seconds>',
      'how often it says that it has caught up',
      wholeNumber('--interval', 1),
      10,
    )
    .option('--state <file>', 'what it remembers (default: a file of its own in the state folder)')
    .action(
      act(async (session, buckets: readonly string[], options: MigrateOptions) =>
        (await import('./migrate-command')).migrateCommand(session, buckets, options),
      ),
    );
  examples(command, [
    'stowage migrate --to cloud                # every bucket, until Ctrl-C',
    'stowage migrate --to cloud --once photos  # until it has caught up, and compare',
  ]).addHelpText(
    'after',
    '\nVersions and earlier states are not carried over, nor are keys, links and consumers.',
  );
}
