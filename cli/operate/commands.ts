/** Commands that run and administer a service. Each loads what it needs when it runs. */
import type { Command } from 'commander';
import { UsageError } from '../shared/errors';
import { examples } from '../shared/help';
import { act } from '../shared/session';
import type { CopyOptions, RepairOptions } from './backup-recovery/options';
import type { CreateKeyOptions, RevokeKeyOptions, SmokeOptions } from './options';

const TABLE = "for a deployed service: the stack's output";

export function operateCommands(program: Command): void {
  program.commandsGroup('Operation:');
  program.command('start').description('run a synthesized stack (cdk.out) in the emulator of AWS');
  keyCommands(program);
  const signIn = program
    .command('sign-in')
    .description('print an access token for /admin/v1 of the local service, valid for an hour')
    .option('--link', 'print a link in place of it, which signs a browser in to the dashboard')
    .action(
      act(async (session, options: { readonly link?: boolean }) =>
        (await import('./sign-in')).signInCommand(session, options),
      ),
    );
  examples(signIn, [
    'curl -H "Authorization: Bearer $(stowage sign-in)" $STOWAGE_URL/admin/v1/keys',
    'stowage sign-in --link',
  ]);
  smokeCommand(program);
  restoreCommands(program);
}

function keyCommands(program: Command): void {
  const create = program
    .command('create-key')
    .description('create an API key, for the local service or a deployed one')
    .argument('[permissions]', 'as JSON (default: everything in every bucket)')
    .option('--name <name>', 'of the key', 'created by create-key')
    .option('--expires-in-days <n>', 'how long it works (default: until revoked)', days)
    .option('--tier <name>', "its rate tier; 'default' also for an unknown name")
    .option('--table <table>', `${TABLE} ApiKeysTableName`)
    .option('--audit-table <table>', `${TABLE} AuditTableName`)
    .action(
      act(async (session, permissions: string | undefined, options: CreateKeyOptions) =>
        (await import('./create-key')).createKeyCommand(session, permissions, options),
      ),
    );
  examples(create, [
    'stowage create-key --name import --expires-in-days 30',
    `stowage create-key '[{"buckets":["photos"],"prefix":"2026/","actions":["read","list"]}]'`,
    'stowage create-key --table KEYS --audit-table AUDIT    # with your AWS credentials',
  ]);
  const revoke = program
    .command('revoke-key')
    .description('revoke an API key: it ends within 5 seconds and cannot be restored')
    .argument('<key>', 'its id (12 characters), or the whole key, such as one that leaked')
    .option('--table <table>', `${TABLE} ApiKeysTableName`)
    .option('--audit-table <table>', `${TABLE} AuditTableName`)
    .option('--rates-table <table>', `${TABLE} RatesTableName`)
    .action(
      act(async (session, key: string, options: RevokeKeyOptions) =>
        (await import('./revoke-key')).revokeKeyCommand(session, key, options),
      ),
    );
  examples(revoke, [
    'stowage revoke-key 6fK2QwzL9xYb',
    'stowage revoke-key --table KEYS --audit-table AUDIT --rates-table RATES 6fK2QwzL9xYb',
  ]);
}

function days(text: string): number {
  if (Number(text) > 0) return Number(text);
  throw new UsageError(`--expires-in-days must be a number above 0, got ${text}`);
}

function smokeCommand(program: Command): void {
  const command = program
    .command('smoke')
    .description('test a deployment within a minute, in a temporary bucket')
    .option('--base-url <url>', 'the output BaseUrl: the same as --url')
    .option('--api-url <url>', 'the output ApiUrl: also tries to bypass the edge')
    .option('--only <text>', 'only the assumptions that contain it', '')
    .action(
      act(async (session, options: SmokeOptions) =>
        (await import('./smoke')).smokeCommand(session, options),
      ),
    );
  examples(command, [
    'stowage smoke                                             # the local service',
    'stowage smoke --url https://files.example.com --key KEY --api-url APIURL',
    'stowage smoke --only "a ticket" --json',
  ]).addHelpText(
    'after',
    '\nPrints a line for each assumption: ok, FAIL, or note for what is only reported.',
  );
}

const BEFORE = `
Stop the functions first, so that nothing writes (docs/backup.md). Without --apply the command only
reports what it would change. Without --outputs it works on the local service.`;

function restoreCommands(program: Command): void {
  const group = program
    .command('restore-backup')
    .description('restore a data folder, or a deployment from restored tables or S3 alone');
  const folder = group
    .command('folder')
    .description("copy a backup of 'stowage backup' to an empty data folder")
    .argument('<backup>', 'the folder of the backup, which stays as it is')
    .argument('<folder>', 'a folder that is empty or new')
    .action(
      act(async (session, backup: string, target: string) =>
        (await import('../serve/folders')).restoreFolderCommand(session, backup, target),
      ),
    );
  examples(folder, ['stowage restore-backup folder /backup/stowage /var/lib/stowage']);
  const withTarget = (command: Command) =>
    command
      .option('--outputs <file>', 'of a deployed stack: of cdk deploy --outputs-file')
      .option('--apply', 'change it, not only report')
      .addHelpText('after', BEFORE);
  const copy = withTarget(
    group
      .command('copy')
      .description('make a table equal to another one, which DynamoDB restored')
      .requiredOption('--from <table>', 'the restored table')
      .requiredOption('--to <table>', 'the table of the stack'),
  ).action(
    act(async (session, options: CopyOptions) =>
      (await import('./backup-recovery/recover-backup')).copyCommand(session, options),
    ),
  );
  examples(copy, ['stowage restore-backup copy --outputs outputs.json --from old --to BUCKETS']);
  const repair = withTarget(
    group
      .command('repair')
      .description('make buckets, records and blobs consistent, and reset all followers')
      .option('--moment <time>', 'the point in time of the tables, with its zone')
      .option('--lost', 'the tables are new and empty: recover every object in S3')
      .option('--drop-newer', 'with --moment: do not recover objects that were written later')
      .option('--bucket <name>', 'this bucket only'),
  ).action(
    act(async (session, options: RepairOptions) =>
      (await import('./backup-recovery/recover-backup')).repairCommand(session, options),
    ),
  );
  examples(repair, [
    'stowage restore-backup repair --outputs outputs.json --moment 2026-11-22T03:00:00Z',
    'stowage restore-backup repair --lost --apply      # the local service',
  ]);
}

/**
 * Runs `start`, whose flags are those of `npm run emulate`: these are read before anything is
 * installed (emulator/src/command/flags.cjs), and so without commander.
 */
export async function start(args: readonly string[]): Promise<void> {
  const { emulate } = await import('./start');
  await emulate(args, {
    start: 'stowage start',
    createKey: 'npx stowage create-key',
    separator: '',
  });
}
