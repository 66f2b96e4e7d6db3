/** The command line of `stowage`: every command, its options and its help. */
import { Command } from 'commander';
import { version } from '../package.json';
import { bucketCommands } from './buckets/commands';
import { completionCommands } from './completion/commands';
import { importCommands } from './import/commands';
import { migrateCommands } from './migrate/commands';
import { objectCommands } from './objects/commands';
import { operateCommands } from './operate/commands';
import { profileCommands } from './profiles/commands';
import { serveCommands } from './serve/commands';
import { sharingCommands } from './sharing/commands';
import { syncCommands } from './sync/commands';

/** In the order of the help. */
const COMMANDS = [
  objectCommands,
  syncCommands,
  importCommands,
  migrateCommands,
  bucketCommands,
  sharingCommands,
  profileCommands,
  serveCommands,
  operateCommands,
  completionCommands,
];

/** Throws CommanderError and UsageError for arguments that it does not take. */
export function stowageProgram(): Command {
  const program = new Command('stowage')
    .description('Objects of a stowage service from the command line, and the service itself.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print the options, with examples')
    .helpCommand('help [command]', 'print the options of a command, with examples')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (text, write) => write(`stowage: ${errorText(text)}`) })
    .exitOverride()
    .optionsGroup('Which service:')
    .option('--url <url>', 'where the service is (default: STOWAGE_URL)')
    .option('--key <key>', 'the API key (default: STOWAGE_KEY)')
    .option('--profile <name>', "a service of 'stowage login' (default: STOWAGE_PROFILE)")
    .option('--data <folder>', 'the local service with this data folder (default: .local)')
    .option('--allow-plain-http', 'send the key unencrypted to a host that is not this machine')
    .optionsGroup('Output:')
    .option('--json', 'print one JSON value a line')
    .option('--no-progress', 'do not show the progress of transfers');
  for (const add of COMMANDS) add(program);
  return program.addHelpText('after', ADDRESSES);
}

const ADDRESSES = `
Addresses: photos:2026/cat.jpg is an object, photos:2026/ the keys that begin so, photos: a bucket;
everything else is a file or a folder here, and - is standard input or output.

'stowage COMMAND --help' prints the options of a command, with examples.`;

function errorText(text: string): string {
  return text.replace(/^error: /, '');
}
