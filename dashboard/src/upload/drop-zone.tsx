/** Where files can be dropped. */
import { type DragEvent, type ReactNode, useState } from 'react';
import { useSession } from '../session/session-context';
import type { Source } from './transfer';

export function DropZone(props: {
  readonly bucket: string;
  readonly folder: string;
  readonly children: ReactNode;
}) {
  const { bucket, folder, children } = props;
  const { uploads } = useSession();
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    for (const dropped of filesOf(event.dataTransfer)) {
      void dropped.then((source) => {
        if (source) void uploads.add(bucket, folder + source.file.name, source);
      });
    }
  };
  return (
    // Users who cannot drag have the button Upload.
    <section
      aria-label="Files can be dropped here"
      className={isOver ? 'drop drop-here' : 'drop'}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {children}
    </section>
  );
}

/** A part of the File System Access API that not every browser has. */
type Droppable = DataTransferItem & {
  readonly getAsFileSystemHandle?: () => Promise<FileSystemHandle | null>;
};

/** Returns the dropped files, without folders. They can be read only during the event: no await. */
function filesOf(data: DataTransfer): Promise<Source | undefined>[] {
  return [...data.items]
    .filter(({ kind }) => kind === 'file')
    .map((item: Droppable) => {
      const isFolder = item.webkitGetAsEntry()?.isDirectory === true;
      const file = isFolder ? null : item.getAsFile();
      const handle = item.getAsFileSystemHandle?.().catch(() => null) ?? Promise.resolve(null);
      return handle.then((resolved) => {
        if (!file) return undefined;
        return { file, ...(isFileHandle(resolved) && { handle: resolved }) };
      });
    });
}

function isFileHandle(handle: FileSystemHandle | null): handle is FileSystemFileHandle {
  return handle?.kind === 'file';
}
