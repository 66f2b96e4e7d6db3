/** The area in which files can be dropped. */
import { type DragEvent, type ReactNode, useState } from 'react';
import { type FileAtPath, filesOf } from './dropped-files';
import { useUploadQueue } from './upload-queue-context';

export function DropZone(props: {
  readonly bucket: string;
  readonly folder: string;
  /** Called when a dropped file or folder cannot be read. */
  readonly failed: (problem: unknown) => void;
  readonly children: ReactNode;
}) {
  const { bucket, folder, failed, children } = props;
  const uploads = useUploadQueue();
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    setOver(true);
  };
  const add = async (files: AsyncIterable<FileAtPath>) => {
    for await (const { path, source } of files) await uploads.add(bucket, folder + path, source);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    for (const files of filesOf(event.dataTransfer)) add(files).catch(failed);
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
