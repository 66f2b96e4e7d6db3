/** The actions of the menus that need no dialog. */
import { type Dispatch, type SetStateAction, useState } from 'react';
import { useJobQueue } from '../jobs/job-queue-context';
import { askForTarget, saveZip, type ZipTarget } from '../jobs/zip';
import { useSession } from '../session/session-context';
import { download, fileNameOf, saveBytes } from './download';
import { type DeletedEntry, type Entry, objectsOf, prefixesOf } from './entries';
import type { EntryDoing } from './entry-actions';
import type { ObjectTask } from './object-tasks';

export interface Doing extends EntryDoing {
  readonly task: ObjectTask | undefined;
  readonly close: () => void;
  /** Why the last action failed. */
  readonly problem: unknown;
  readonly setProblem: Dispatch<SetStateAction<unknown>>;
}

export function useDoing(
  { bucket, folder }: { readonly bucket: string; readonly folder: string },
  changed: () => void,
): Doing {
  const { client } = useSession();
  const jobs = useJobQueue();
  const [task, setTask] = useState<ObjectTask>();
  const [problem, setProblem] = useState<unknown>();
  const run = (work: Promise<void>) => {
    setProblem(undefined);
    work.catch(setProblem);
  };
  const zip = async (entries: readonly Entry[]) => {
    const name = `${fileNameOf(entries.length === 1 ? (entries[0]?.name ?? bucket) : bucket)}.zip`;
    const target = await askForTarget(name).catch(cancelled);
    if (target === 'cancelled') return;
    const contents = {
      ...{ bucket, folder, objects: objectsOf(entries), prefixes: prefixesOf(entries) },
    };
    jobs.startPassing({
      title: `Download ${name}`,
      run: async (watch) => {
        const bytes = await saveZip(client, contents, target, watch);
        if (bytes) saveBytes(bytes, name);
      },
    });
  };
  const undelete = async ({ deleted: { key, version } }: DeletedEntry) => {
    await client.copy(bucket, key, { key, version: version - 1 }, { ifNoneMatch: '*' });
    changed();
  };
  return {
    task,
    setTask,
    close: () => setTask(undefined),
    problem,
    setProblem,
    save: (key) => run(download(client, bucket, key)),
    zip: (entries) => run(zip(entries)),
    undelete: (entry) => run(undelete(entry)),
  };
}

function cancelled(error: unknown): ZipTarget | 'cancelled' {
  if (error instanceof DOMException && error.name === 'AbortError') return 'cancelled';
  throw error;
}
