/** The dialog that creates a bucket. */
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { useState } from 'react';
import { LIMITS } from '../api/limits';
import { focusField } from '../parts/focus-field';
import { FormDialog } from '../parts/form-dialog';
import { bucketNameError } from './bucket-name';

const { min, max } = LIMITS.bucketNameLength;

export function CreateBucket(props: {
  readonly create: (name: string) => Promise<void>;
  readonly close: () => void;
}) {
  const [name, setName] = useState('');
  const [showsError, setShowsError] = useState(false);
  const nameError = bucketNameError(name);
  const validate = () => {
    setShowsError(true);
    return nameError === undefined;
  };
  const act = async () => {
    await props.create(name);
    props.close();
  };
  return (
    <FormDialog
      title="Create a bucket"
      submit={{ text: 'Create bucket', validate, act }}
      failure="The bucket was not created"
      close={props.close}
    >
      <FormField
        label="Name"
        description={`${min} to ${max} of a-z, 0-9 and -. It cannot be changed later.`}
        errorText={showsError && nameError}
      >
        <Input
          value={name}
          ref={focusField}
          placeholder="photos"
          spellcheck={false}
          autoComplete={false}
          onChange={({ detail }) => setName(detail.value)}
        />
      </FormField>
    </FormDialog>
  );
}
