/** The command line of `npm run restore`. */
import { parseArgs } from 'node:util';
import type { RestoreOptions } from '../../core/maintenance/restore/restore-deps';

export const USAGE = `usage: restore copy --from TABLE --to TABLE [--apply]
       restore repair (--moment TIME | --lost) [--drop-newer] [--bucket NAME] [--apply]

Stop the functions first, so that nothing writes (docs/backup.md). Without --apply the command only
reports what it would change.

copy          make the table --to equal to the table --from, which DynamoDB restored
repair        make buckets, records and blobs consistent, and reset all followers
--moment      the point in time of the tables, for example 2026-11-22T03:00:00Z; objects
              written later are recovered from S3
--lost        the tables are new and empty: every object in S3 is recovered
--drop-newer  with --moment: objects written later are not recovered
--bucket      this bucket only

For a deployed service, pass --outputs FILE (written by cdk deploy --outputs-file or aws
cloudformation describe-stacks), with your AWS credentials and region. Without it, the commands work
on the local service, with --data FOLDER (default: .local).`;

const OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  moment: { type: 'string' },
  lost: { type: 'boolean', default: false },
  'drop-newer': { type: 'boolean', default: false },
  bucket: { type: 'string' },
  apply: { type: 'boolean', default: false },
  outputs: { type: 'string' },
  data: { type: 'string', default: '.local' },
  help: { type: 'boolean', short: 'h' },
} as const;

export type Values = ReturnType<typeof parseOptions>['values'];

export function parseOptions(args: string[]) {
  return parseArgs({ args, options: OPTIONS, allowPositionals: true });
}

/** Throws when the options contradict each other. */
export function repairOptions(values: Values, now: number): RestoreOptions {
  const { moment, lost, apply, bucket } = values;
  if ((moment === undefined) !== lost)
    throw new Error(`repair requires either --moment or --lost\n${USAGE}`);
  const dropNewer = values['drop-newer'];
  if (lost && dropNewer)
    throw new Error('--drop-newer requires --moment: with --lost every object is newer');
  const time = moment === undefined ? Number.NEGATIVE_INFINITY : Date.parse(moment);
  // A time without a zone means different moments on different machines.
  if (Number.isNaN(time) || (moment !== undefined && !/(Z|[+-]\d\d:\d\d)$/.test(moment))) {
    throw new Error(
      `--moment must be a time with its zone, such as 2026-11-22T03:00:00Z, got ${moment}`,
    );
  }
  if (time > now) throw new Error(`--moment is in the future: ${moment}`);
  return { moment: time, dropNewer, apply, bucket };
}
