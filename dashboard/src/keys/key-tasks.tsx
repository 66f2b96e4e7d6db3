/** The dialogs for the actions on keys. */
import type { ApiKey } from '../api/admin';
import type { Schemas } from '../api/client';
import { Confirmation } from '../parts/confirmation';
import { useSession } from '../session/session-context';
import { KeyForm } from './key-form';
import { RotateDialog } from './rotate-dialog';
import { SecretDialog } from './secret-dialog';

export type KeyTask =
  | { readonly kind: 'create' }
  | { readonly kind: 'change' | 'rotate' | 'revoke'; readonly key: ApiKey }
  | { readonly kind: 'show'; readonly made: Schemas['KeyWithSecret'] };

export function KeyTasks(props: {
  readonly task: KeyTask;
  readonly setTask: (task: KeyTask | undefined) => void;
  readonly reload: () => void;
}) {
  const { task, setTask, reload } = props;
  const { admin } = useSession();
  const close = () => setTask(undefined);
  // `create` and `rotate` are followed by the dialog that shows the secret, which must stay open.
  const closeForm = () => {
    if (task.kind === 'change') close();
  };
  const show = (made: Schemas['KeyWithSecret']) => {
    setTask({ kind: 'show', made });
    reload();
  };
  switch (task.kind) {
    case 'create':
      return (
        <KeyForm
          save={async (settings) => show(await admin.createKey(settings))}
          saved={closeForm}
          close={close}
        />
      );
    case 'change':
      return (
        <KeyForm
          subject={task.key}
          save={async (settings) => {
            await admin.changeKey(task.key.id, settings);
            reload();
          }}
          saved={closeForm}
          close={close}
        />
      );
    case 'rotate':
      return (
        <RotateDialog
          subject={task.key}
          rotate={async (overlap) => show(await admin.rotateKey(task.key.id, overlap))}
          close={close}
        />
      );
    case 'revoke':
      return (
        <Confirmation
          title={`Revoke “${task.key.name}”?`}
          confirm="Revoke"
          act={async () => {
            await admin.revokeKey(task.key.id);
            reload();
          }}
          close={close}
        >
          Requests with this key are refused within seconds, and its open channels are closed. A
          revoked key never works again.
        </Confirmation>
      );
    case 'show':
      return <SecretDialog made={task.made} close={close} />;
  }
}
