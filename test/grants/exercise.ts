/**
 * Makes the AWS calls that the acceptance suite cannot cause over HTTP, so that every grant of the
 * functions is used by some call:
 * `STOWAGE_URL=… STOWAGE_KEY=… tsx test/grants/exercise.ts DATA-FOLDER`.
 *
 * Where days would have to pass, or a writer to crash, the function's own code runs here in the
 * function's role, with a clock that is two days ahead.
 */
import { Administration } from './administration';
import { channelsEnd } from './channels';
import {
  historyEnds,
  largeCopyIsMade,
  objectsExpire,
  removeOrphans,
  uploadsGetLost,
} from './housekeeping';
import { blobsAreMissing, copyIsAborted, versionsAreRead, writeIsUndone } from './objects';
import { openRoles } from './roles';
import { World } from './world';

async function main(): Promise<void> {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('usage: tsx test/grants/exercise.ts DATA-FOLDER');
  const as = openRoles(folder);
  const world = new World(folder);
  const administration = new Administration(world, folder);
  try {
    await administration.use();
    await blobsAreMissing(world, as);
    await versionsAreRead(world, as);
    await writeIsUndone(world, as);
    await copyIsAborted(world, as);
    await channelsEnd(world, as, administration);
    await uploadsGetLost(world, as);
    await largeCopyIsMade(world, as);
    await removeOrphans(world, as);
    await objectsExpire(world, as);
    await historyEnds(world, as);
  } finally {
    world.close();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
