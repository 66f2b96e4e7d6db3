/** The dialogs for the actions on objects and folders. */
import { countText } from '../jobs/job';
import { useJobQueue } from '../jobs/job-queue-context';
import { Confirmation } from '../parts/confirmation';
import { Text } from '../parts/text';
import { useSession } from '../session/session-context';
import { EditDialog } from './edit-dialog';
import { type Entry, type FolderEntry, keysOf, type ObjectEntry, prefixesOf } from './entries';
import { LinkDialog } from './link-dialog';
import { RenameDialog } from './rename-dialog';
import { TransferDialog } from './transfer-dialog';

export type ObjectTask =
  | { readonly kind: 'link' | 'edit'; readonly key: string }
  | { readonly kind: 'rename'; readonly entry: FolderEntry | ObjectEntry }
  | { readonly kind: 'copy' | 'move' | 'delete'; readonly entries: readonly Entry[] }
  | { readonly kind: 'empty' };

interface ObjectTasksProps {
  readonly bucket: string;
  readonly task: ObjectTask;
  /** Called after a change; with the new key if an object was renamed. */
  readonly changed: (key?: string) => void;
  readonly close: () => void;
}

export function ObjectTasks(props: ObjectTasksProps) {
  const { bucket, task, changed, close } = props;
  switch (task.kind) {
    case 'link':
      return <LinkDialog bucket={bucket} objectKey={task.key} close={close} />;
    case 'edit':
      return <EditDialog bucket={bucket} objectKey={task.key} changed={changed} close={close} />;
    case 'rename':
      return <RenameDialog bucket={bucket} entry={task.entry} changed={changed} close={close} />;
    case 'copy':
    case 'move':
      return (
        <TransferDialog bucket={bucket} how={task.kind} entries={task.entries} close={close} />
      );
    case 'empty':
      return <EmptyBucket bucket={bucket} close={close} />;
    case 'delete':
      return <DeleteEntries {...props} entries={task.entries} />;
  }
}

const KEPT = "Versions can still be read and restored until the deployment's retention ends.";

function DeleteEntries({
  bucket,
  entries,
  changed,
  close,
}: ObjectTasksProps & { readonly entries: readonly Entry[] }) {
  const { client } = useSession();
  const jobs = useJobQueue();
  const [first] = entries;
  const keys = keysOf(entries);
  const prefixes = prefixesOf(entries);
  const isOneObject = entries.length === 1 && first?.kind === 'object';
  const act = async () => {
    if (isOneObject) {
      await client.delete(bucket, first.object.key);
      changed();
    } else jobs.start({ kind: 'delete', bucket, keys, prefixes });
  };
  const what = isOneObject ? 'this object' : countText(keys.length, prefixes.length);
  return (
    <Confirmation title={`Delete ${what}?`} confirm="Delete" act={act} close={close}>
      {entries.length === 1 && first ? (
        <>
          <Text code>{keys[0] ?? prefixes[0]}</Text> will be deleted
          {first.kind === 'folder' && ', with everything in it'}.{' '}
        </>
      ) : (
        'The selection will be deleted, folders with everything in them. '
      )}
      {KEPT}
    </Confirmation>
  );
}

export function EmptyBucket(props: { readonly bucket: string; readonly close: () => void }) {
  const { bucket, close } = props;
  const jobs = useJobQueue();
  return (
    <Confirmation
      title={`Empty the bucket ${bucket}?`}
      confirm="Empty"
      act={async () => jobs.start({ kind: 'delete', bucket, keys: [], prefixes: [''] })}
      close={close}
    >
      Every object of <Text code>{bucket}</Text> will be deleted. {KEPT}
    </Confirmation>
  );
}
