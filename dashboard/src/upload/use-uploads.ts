/** The uploads for the parts of the page that show and begin them. */
import { useSyncExternalStore } from 'react';
import { useSession } from '../session/session-context';
import type { UploadItem } from './queue';

export interface Uploads {
  readonly items: readonly UploadItem[];
  /** Asks for files, and uploads them to a folder. */
  readonly choose: (bucket: string, folder: string) => void;
  /** Asks for one file again. */
  readonly chooseAgain: (chosen: (file: File) => void) => void;
}

export function useUploads(): Uploads {
  const { uploads } = useSession();
  const items = useSyncExternalStore(uploads.subscribe, uploads.items);
  return {
    items,
    choose: (bucket, folder) => {
      askForFiles({ multiple: true }, (files) => {
        for (const file of files) void uploads.add(bucket, folder + file.name, { file });
      });
    },
    chooseAgain: (chosen) => {
      askForFiles({ multiple: false }, ([file]) => {
        if (file) chosen(file);
      });
    },
  };
}

function askForFiles(
  { multiple }: { readonly multiple: boolean },
  chosen: (files: readonly File[]) => void,
): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = multiple;
  input.onchange = () => chosen([...(input.files ?? [])]);
  input.click();
}
