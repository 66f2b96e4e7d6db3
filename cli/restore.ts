/**
 * `npm run restore -- copy | repair …`: restores the tables from restored ones or from S3 alone.
 * docs/backup.md describes when and how to use it.
 */
import { restore } from '../core/maintenance/restore/restore';
import type { RestoreOptions } from '../core/maintenance/restore/restore-deps';
import { copyTable } from './restore/copy-table';
import { parseOptions, repairOptions, USAGE, type Values } from './restore/options';
import { deployedTarget, localTarget, restoreDeps, type Target } from './restore/target';

async function copy(target: Target, { from, to, apply }: Values): Promise<void> {
  if (from === undefined || to === undefined)
    throw new Error(`copy requires --from and --to\n${USAGE}`);
  if (from === to) throw new Error('--from and --to are the same table');
  const { dynamo: client } = target;
  const { put, removed } = await copyTable({ client, name: from }, { client, name: to }, apply);
  const verb = apply ? '' : 'would be ';
  console.log(`${to}: ${put} items ${verb}put, ${removed} others ${verb}removed`);
}

async function repair(target: Target, options: RestoreOptions): Promise<void> {
  const verb = options.apply ? '' : 'would be ';
  let count = 0;
  for await (const one of restore(restoreDeps(target), options)) {
    count += 1;
    const { made, keys, blobs, recovered, lost, live, droppedEntries, head } = one;
    console.log(
      [
        `bucket ${one.bucket} (${one.id})${made ? `, ${verb}created` : ''}`,
        `  S3 holds ${blobs} blobs of ${keys} keys`,
        `  ${recovered} ${verb}recovered, ${lost} without bytes ${verb}deleted, ${live} live`,
        options.apply
          ? `  followers are reset, with cursors above ${head}; ` +
            `${droppedEntries} entries of the old log deleted`
          : '  every follower would be reset, and the history of versions would be deleted',
      ].join('\n'),
    );
  }
  const note = options.apply ? '' : '; nothing was changed: pass --apply to change it';
  console.log(`${count} buckets${note}`);
}

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseOptions(args);
  if (values.help) return console.log(USAGE);
  const [command, ...rest] = positionals;
  if (rest.length > 0 || (command !== 'copy' && command !== 'repair')) {
    throw new Error(`the command must be copy or repair\n${USAGE}`);
  }
  const options = command === 'repair' ? repairOptions(values, Date.now()) : undefined;
  const target = values.outputs ? deployedTarget(values.outputs) : localTarget(values.data);
  if (options) await repair(target, options);
  else await copy(target, values);
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(`restore: ${error.message}`);
  process.exitCode = 1;
});
