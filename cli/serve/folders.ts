/** `stowage check`, `stowage backup` and `stowage restore-backup folder`: data folders at rest. */
import { backUp, restoreBackup } from '../../server/data-folder/backup';
import { checkFolder } from '../../server/data-folder/check';
import { UserError } from '../shared/errors';
import { LOCAL_DATA } from '../shared/service';
import type { Session } from '../shared/session';
import { countText, sizeText } from '../shared/text';

/** Throws UserError when the folder is not sound. */
export async function checkCommand(
  { options, output }: Session,
  folder = options.data ?? LOCAL_DATA,
): Promise<void> {
  const { problems, ...counts } = await checkFolder(folder);
  const { buckets, objects, blobs, bytes } = counts;
  for (const problem of problems) await output.print({ problem }, problem);
  await output.print(
    { folder, ...counts, problems: problems.length },
    `${folder}: ${countText(buckets, 'bucket')}, ${countText(objects, 'object')}, ` +
      `${sizeText(bytes)} read in ${countText(blobs, 'content')}`,
  );
  if (problems.length > 0)
    throw new UserError(`${countText(problems.length, 'problem')} in ${folder}`);
}

export async function backupCommand({ options, output }: Session, target: string): Promise<void> {
  process.umask(0o077);
  const { files, copied } = await backUp(options.data ?? LOCAL_DATA, target);
  await output.print(
    { target, files, copied },
    `${target} is a backup: ${countText(files, 'file')} of content, ${copied} copied now`,
  );
}

export async function restoreFolderCommand(
  { output }: Session,
  backup: string,
  folder: string,
): Promise<void> {
  process.umask(0o077);
  const { files } = await restoreBackup(backup, folder);
  await output.print(
    { folder, files },
    `${folder} is restored with ${countText(files, 'file')}: stowage serve --data ${folder}`,
  );
}
