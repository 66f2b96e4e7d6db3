/** The commands `cp` and `mv`. */
import type { Command } from 'commander';
import { duration } from '../../shared/durations';
import { UsageError } from '../../shared/errors';
import { examples, wholeNumber } from '../../shared/help';
import { act } from '../../shared/session';
import { cp, mv } from './copy';

/** Files and objects that are transferred at the same time. */
const PARALLEL = 4;

export function copyCommands(program: Command): void {
  const cpCommand = withOptions(
    program.command('cp').description('copy files and objects, to, from and between buckets'),
  ).action(act(cp));
  examples(cpCommand, [
    'stowage cp cat.jpg photos:2026/            # photos:2026/cat.jpg',
    'stowage cp -r holiday photos:2026/         # photos:2026/holiday/…; holiday/ is its content',
    'stowage cp photos:2026/cat.jpg .',
    'stowage cp -r photos:2026/ ./backup',
    'stowage cp -r photos:2026/ archive:2026/   # on the server',
    'mysqldump shop | stowage cp - backups:shop.sql',
  ]);
  const mvCommand = withOptions(
    program.command('mv').description('move files and objects: as cp, then delete the source'),
  ).action(act(mv));
  examples(mvCommand, [
    'stowage mv photos:cat.jpg photos:2026/cat.jpg    # on the server, in one commit',
    'stowage mv -r inbox/ photos:inbox/',
  ]);
}

function withOptions(command: Command): Command {
  return command
    .argument('<paths...>', 'sources and, last, the destination')
    .option('-r, --recursive', 'folders, with everything in them')
    .option('-n, --no-clobber', 'leave what is there as it is')
    .option('--type <type>', 'the content type (default: by the extension)')
    .option('--meta <name=value>', 'metadata; may be repeated', metadata)
    .option('--cache-control <text>', 'Cache-Control of the objects')
    .option('--disposition <text>', 'Content-Disposition of the objects')
    .option('--expires <duration>', 'when the service deletes the objects', duration('--expires'))
    .option('--version-number <n>', 'this version', wholeNumber('--version-number', 1))
    .option('--as-of <cursor>', 'from the bucket as it was', wholeNumber('--as-of'))
    .option('--parallel <n>', 'how many at once', wholeNumber('--parallel', 1), PARALLEL);
}

function metadata(text: string, earlier: Readonly<Record<string, string>> = {}) {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new UsageError(`--meta must be name=value, got ${text}`);
  return { ...earlier, [name]: value };
}
