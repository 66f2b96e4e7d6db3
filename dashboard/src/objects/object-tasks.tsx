/** The dialogs for the actions on an object. */
import { Confirmation } from '../parts/confirmation';
import { useSession } from '../session/session-context';
import { LinkDialog } from './link-dialog';

export type ObjectTask = { readonly kind: 'link' | 'delete'; readonly key: string };

export function ObjectTasks(props: {
  readonly bucket: string;
  readonly task: ObjectTask;
  readonly deleted: () => void;
  readonly close: () => void;
}) {
  const { bucket, task, deleted, close } = props;
  const { storage } = useSession();
  if (task.kind === 'link')
    return <LinkDialog bucket={bucket} objectKey={task.key} close={close} />;
  return (
    <Confirmation
      title="Delete this object?"
      confirm="Delete"
      act={async () => {
        await storage.delete(bucket, task.key);
        deleted();
      }}
      close={close}
    >
      <span className="code">{task.key}</span> will be deleted. Its versions can still be read until
      the deployment's retention ends.
    </Confirmation>
  );
}
