/** Commands that keep two places in step. */
import type { Command } from 'commander';
import { importCommand } from '../import/import-command';
import { examples, wholeNumber } from '../shared/help';
import { act } from '../shared/session';
import { syncCommand } from './sync-command';

export function syncCommands(program: Command): void {
  program.commandsGroup('Many files:');
  addSync(program);
  addImport(program);
}

function addSync(program: Command): void {
  const command = program
    .command('sync')
    .description('make a folder or a bucket what another one is')
    .argument('<source>', 'a folder, or a bucket, such as photos:2026/')
    .argument('<destination>', 'the other one')
    .option('-d, --delete', 'delete from the destination what the source does not have')
    .option('-n, --dry-run', 'print what would be done')
    .option('-c, --checksum', 'compare contents, not sizes and times')
    .option('-w, --watch', 'keep the destination in step until Ctrl-C')
    .option('--include <glob...>', 'only names that match one of these')
    .option('--exclude <glob...>', 'no names that match one of these')
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

function addImport(program: Command): void {
  const command = program
    .command('import')
    .description('copy a bucket of S3, or of a service with its interface, into a bucket')
    .argument('<source>', 's3://BUCKET or s3://BUCKET/PREFIX/')
    .argument('<destination>', 'a bucket, such as photos:2026/')
    .option('-n, --dry-run', 'print what would be done')
    .option('-c, --checksum', 'import again what is only known by its size and time')
    .option('--include <glob...>', 'only names that match one of these')
    .option('--exclude <glob...>', 'no names that match one of these')
    .option('--parallel <n>', 'objects at the same time', wholeNumber('--parallel', 1), 8)
    .option('--endpoint <url>', 'of another service than S3 of AWS')
    .option('--region <name>', 'of the bucket (default: AWS_REGION)')
    .option('--state <file>', 'what it remembers (default: a file of its own in the state folder)')
    .action(act(importCommand));
  examples(command, [
    'stowage import --dry-run s3://old-photos photos:',
    'stowage import s3://old-photos/2026/ photos:2026/',
    'stowage import --endpoint https://s3.example.com s3://old photos:',
  ]);
}
