/** The command `import`. */
import type { Command } from 'commander';
import { examples, repeated, wholeNumber } from '../shared/help';
import { act } from '../shared/session';
import { importCommand } from './import-command';

export function importCommands(program: Command): void {
  program.commandsGroup('Many files:');
  const command = program
    .command('import')
    .description('copy a bucket of S3, or of a service with its interface, into a bucket')
    .argument('<source>', 's3://BUCKET or s3://BUCKET/PREFIX/')
    .argument('<destination>', 'a bucket, such as photos:2026/')
    .option('-n, --dry-run', 'print what would be done')
    .option('-c, --checksum', 'import again what is only known by its size and time')
    .option('--include <glob>', 'only names that match this; may be repeated', repeated)
    .option('--exclude <glob>', 'no names that match this; may be repeated', repeated)
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
