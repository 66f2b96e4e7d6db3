/** The command line of `npm run restore`. */
import { parseArgs } from 'node:util';
import type { RestoreOptions } from '../../core/maintenance/restore/restore-deps';

export const USAGE = `usage: restore copy --from TABLE --to TABLE [--apply]
       restore repair (--moment TIME | --lost) [--drop-newer] [--bucket NAME] [--apply]

Nothing may write meanwhile: stop the functions first (docs/backup.md). Without --apply nothing is changed, only told.

copy          makes table --to hold what table --from holds, which DynamoDB restored
repair        makes buckets, records and blobs agree, and tells all followers to start over
--moment      the moment of which the tables are, for example 2026-11-22T03:00:00Z; what was written after it is
              recovered from S3
--lost        the tables are new and empty: everything that S3 holds is recovered
--drop-newer  with --moment: what was written after it stays out
--bucket      this bucket alone

Both take --outputs FILE for a deployed service (as cdk deploy --outputs-file or aws cloudformation describe-stacks writes it),
with your AWS credentials and region; else they work on the service of npm start, with --data FOLDER (.local by default).`;

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
  if ((moment === undefined) !== lost) throw new Error(`repair takes --moment or --lost\n${USAGE}`);
  const dropNewer = values['drop-newer'];
  if (lost && dropNewer)
    throw new Error('--drop-newer takes --moment: with --lost everything is newer');
  const time = moment === undefined ? Number.NEGATIVE_INFINITY : Date.parse(moment);
  // Without its zone a time means another moment on another machine.
  if (Number.isNaN(time) || (moment !== undefined && !/(Z|[+-]\d\d:\d\d)$/.test(moment))) {
    throw new Error(
      `--moment must be a time with its zone, such as 2026-11-22T03:00:00Z, got ${moment}`,
    );
  }
  if (time > now) throw new Error(`--moment lies ahead: ${moment}`);
  return { moment: time, dropNewer, apply, bucket };
}
