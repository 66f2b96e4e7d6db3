/** The command `sync`. */
import type { Command } from 'commander';
import { examples, repeated, wholeNumber } from '../shared/help';
import { act } from '../shared/session';
import { syncCommand } from './sync-command';

export function syncCommands(program: Command): void {
  program.commandsGroup('Many files:');
  const command = program
    .command('sync')
    .description('make a folder or a bucket what another one is')
    .argument('<source>', 'a folder, or a bucket, such as photos:2026/')
    .argument('<destination>', 'the other one')
    .option('-d, --delete', 'delete from the destination what the source does not have')
    .option('-n, --dry-run', 'print what would be done')
    .option('-c, --checksum', 'compare contents, not sizes and times')
    .option('-w, --watch', 'keep the destination in step until Ctrl-C')
    .option('--include <glob>', 'only names that match this; may be repeated', repeated)
    .option('--exclude <glob>', 'no names that match this; may be repeated', repeated)
    .option('--parallel <n>', 'files at the same time', wholeNumber('--parallel', 1), 8)
    .option(
      '--interval <seconds>',
      'with --watch, how often everything is compared',
      wholeNumber('--interval', 1),
      300,
    )
    .option('--state <file>', 'what it remembers (default: a file of its own in the state folder)')
    .action(act(syncCommand));
  examples(command, [
    'stowage sync -n --delete site www:        # what would be done',
    'stowage sync --delete site www:',
    'stowage sync photos:2026/ pictures --exclude "*.tmp"',
    'stowage sync --watch --delete photos: pictures',
    'stowage sync photos: backup:photos/       # copied by the service',
  ]);
}
