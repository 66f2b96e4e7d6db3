/** Commands about objects. */
import { type Command, Option } from 'commander';
import { moment } from '../shared/durations';
import { examples, wholeNumber } from '../shared/help';
import { act } from '../shared/session';
import { copyCommands } from './copy/commands';
import { du } from './du';
import { ls } from './ls';
import { cat, stat, versions } from './one-object';
import { restore, undo } from './restore';
import { rm } from './rm';
import { watch } from './watch';

const ADDRESS = 'a bucket, or the beginning of keys, such as photos:2026/';
const OBJECT = 'such as photos:2026/cat.jpg';

export function objectCommands(program: Command): void {
  program.commandsGroup('Objects:');
  listCommand(program);
  copyCommands(program);
  removeCommand(program);
  readCommands(program);
  earlierCommands(program);
  watchCommand(program);
}

const asOf = () => new Option('--as-of <cursor>', 'as it was then').argParser(cursorOf('--as-of'));
const versionNumber = () =>
  new Option('--version-number <n>', 'this version of it').argParser(
    wholeNumber('--version-number', 1),
  );

function cursorOf(option: string): (text: string) => number {
  return wholeNumber(option);
}

function listCommand(program: Command): void {
  const command = program
    .command('ls')
    .description('list buckets, or the objects and folders of one')
    .argument('[address]', ADDRESS)
    .option('-l, --long', 'with time and size')
    .option('-r, --recursive', 'every object, not only the first level')
    .addOption(asOf())
    .action(act(ls));
  examples(command, [
    'stowage ls                          # the buckets',
    'stowage ls -l photos:2026/',
    'stowage ls -r photos --as-of 120    # every object, as it was at cursor 120',
    'stowage ls -r photos --json | jq .size',
  ]);
}

function removeCommand(program: Command): void {
  const command = program
    .command('rm')
    .description('delete objects')
    .argument('<address...>', OBJECT)
    .option('-r, --recursive', 'everything below; asks first')
    .option('-y, --yes', 'do not ask')
    .option('-f, --force', 'an object that is missing is no failure')
    .option('--dry-run', 'with -r: only say how many there are')
    .action(act(rm));
  examples(command, ['stowage rm photos:2026/cat.jpg', 'stowage rm -r photos:2026/ --yes']);
}

function readCommands(program: Command): void {
  const catCommand = program
    .command('cat')
    .description('print objects')
    .argument('<object...>', OBJECT)
    .option('--range <from-to>', 'only these bytes, counted from 0')
    .addOption(versionNumber())
    .addOption(asOf())
    .action(act(cat));
  examples(catCommand, [
    'stowage cat photos:notes.txt',
    'stowage cat photos:film.mp4 --range 0-99',
  ]);
  const statCommand = program
    .command('stat')
    .description('print what the service knows of an object, or of a bucket')
    .argument('<address>', `${OBJECT}, or a bucket`)
    .addOption(versionNumber())
    .addOption(asOf())
    .action(act(stat));
  examples(statCommand, ['stowage stat photos:2026/cat.jpg', 'stowage stat photos']);
  const duCommand = program
    .command('du')
    .description('print how many objects and bytes there are, by folder')
    .argument('<address>', ADDRESS)
    .addOption(asOf())
    .action(act(du));
  examples(duCommand, ['stowage du photos', 'stowage du photos:2026/ --as-of 120']);
}

function earlierCommands(program: Command): void {
  const versionsCommand = program
    .command('versions')
    .description('list the versions of an object that are kept, newest first')
    .argument('<object>', OBJECT)
    .action(act(versions));
  examples(versionsCommand, ['stowage versions photos:2026/cat.jpg']);
  const restoreCommand = program
    .command('restore')
    .description('give objects an earlier content again, also deleted ones')
    .argument('<object...>', OBJECT)
    .addOption(versionNumber())
    .addOption(asOf())
    .action(act(restore));
  examples(restoreCommand, [
    'stowage restore photos:cat.jpg                       # before its last change',
    'stowage restore photos:cat.jpg --version-number 3',
  ]);
  const undoCommand = program
    .command('undo')
    .description('bring a bucket, or a part of it, back to what it was; shows it first, and asks')
    .argument('<address>', ADDRESS)
    .requiredOption('--to <moment>', 'a cursor, a time with its zone, or 2h', moment('--to'))
    .option('--dry-run', 'only show what would change')
    .option('-y, --yes', 'neither show nor ask')
    .action(act(undo));
  examples(undoCommand, [
    'stowage undo photos --to 120 --dry-run',
    'stowage undo photos:2026/ --to 2026-11-22T03:00:00Z',
    'stowage undo photos --to 2h --yes',
  ]);
}

function watchCommand(program: Command): void {
  const command = program
    .command('watch')
    .alias('follow')
    .description('print the changes of a bucket as they happen, until Ctrl-C')
    .argument('<address>', ADDRESS)
    .option(
      '--cursor <n>',
      'the changes after this cursor; 0: from the beginning (default: from now)',
      cursorOf('--cursor'),
    )
    .addOption(
      new Option('--transport <name>', 'how to connect')
        .choices(['auto', 'websocket', 'poll'])
        .default('auto'),
    )
    .action(act(watch));
  examples(command, [
    'stowage watch photos',
    'stowage watch photos:2026/ --cursor 0',
    'stowage watch photos --json | jq .object.key',
  ]);
}
