/** The uploads, for the components that show and start them. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { UploadItem } from './upload-item';
import { useUploadQueue } from './upload-queue-context';

export interface Uploads {
  readonly items: readonly UploadItem[];
  /** Why the uploads of an earlier visit could not be read. */
  readonly problem: unknown;
  /** Asks for files, or for a folder, and uploads them to a folder of a bucket. */
  readonly choose: (bucket: string, folder: string, what: 'files' | 'folder') => void;
  /** Asks for one file again. */
  readonly chooseAgain: (chosen: (file: File) => void) => void;
}

export function useUploads(): Uploads {
  const uploads = useUploadQueue();
  const items = useSyncExternalStore(uploads.subscribe, uploads.items);
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    uploads.restore().catch(setProblem);
  }, [uploads]);
  return {
    items,
    problem,
    choose: (bucket, folder, what) => {
      const attributes = { multiple: true, webkitdirectory: what === 'folder' };
      askForFiles(attributes, (files) => {
        for (const file of files) {
          const path = file.webkitRelativePath || file.name;
          void uploads.add(bucket, folder + path, { file });
        }
      });
    },
    chooseAgain: (chosen) => {
      askForFiles({ multiple: false, webkitdirectory: false }, ([file]) => {
        if (file) chosen(file);
      });
    },
  };
}

function askForFiles(
  attributes: Pick<HTMLInputElement, 'multiple' | 'webkitdirectory'>,
  chosen: (files: readonly File[]) => void,
): void {
  const input = document.createElement('input');
  input.type = 'file';
  Object.assign(input, attributes);
  input.onchange = () => chosen([...(input.files ?? [])]);
  input.click();
}
