/** The dialog that gives an object or folder another name. */
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { useState } from 'react';
import { StowageError } from '../../../client/errors';
import { useJobQueue } from '../jobs/job-queue-context';
import { focusField } from '../parts/focus-field';
import { FormDialog } from '../parts/form-dialog';
import { hiddenNote } from '../parts/hidden-note';
import { useSession } from '../session/session-context';
import { keyError } from '../upload/file-identity';
import { type FolderEntry, type ObjectEntry, parentOf } from './entries';

export function RenameDialog(props: {
  readonly bucket: string;
  readonly entry: FolderEntry | ObjectEntry;
  readonly changed: (key: string) => void;
  readonly close: () => void;
}) {
  const { bucket, entry, changed, close } = props;
  const { client } = useSession();
  const jobs = useJobQueue();
  const isFolder = entry.kind === 'folder';
  const old = isFolder ? entry.prefix : entry.object.key;
  const parent = parentOf(old);
  const oldName = old.slice(parent.length).replace(/\/$/, '');
  const [name, setName] = useState(oldName);
  const [showsError, setShowsError] = useState(false);
  const key = `${parent}${name}${old.endsWith('/') ? '/' : ''}`;
  const problem = name === '' ? 'Give it a name.' : (keyError(key) ?? sameError(name, oldName));
  const validate = () => {
    setShowsError(true);
    return problem === undefined;
  };
  const act = async () => {
    if (isFolder) {
      const relocations = [{ from: old, to: key, isFolder: true }];
      jobs.start({ kind: 'move', bucket, toBucket: bucket, relocations });
    } else await client.move(bucket, key, old, { ifNoneMatch: '*' }).catch(explain);
    close();
    changed(key);
  };
  return (
    <FormDialog
      title={isFolder ? 'Rename this folder' : 'Rename this object'}
      submit={{ text: 'Rename', validate, act }}
      failure="It was not renamed"
      close={close}
    >
      <FormField
        label="New name"
        description={isFolder ? 'Its objects are moved, one after the other.' : undefined}
        constraintText={hiddenNote(name)}
        errorText={showsError && problem}
      >
        <Input
          value={name}
          ref={focusField}
          spellcheck={false}
          autoComplete={false}
          onChange={({ detail }) => setName(detail.value)}
        />
      </FormField>
    </FormDialog>
  );
}

function sameError(name: string, old: string): string | undefined {
  if (name === old) return 'This is its name already.';
  return name.includes('/') ? 'A slash makes a folder: use Move.' : undefined;
}

function explain(error: unknown): never {
  if (error instanceof StowageError && error.code === 'precondition_failed') {
    throw new Error('There is an object of this name already.');
  }
  throw error;
}
