/** Making a bucket. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useId, useState } from 'react';
import { Failure } from '../parts/failure';
import { focusAtOnce } from '../parts/focus-at-once';
import { useAction } from '../parts/use-action';
import { bucketNameError } from './bucket-name';

export function CreateBucket(props: {
  readonly create: (name: string) => Promise<void>;
  readonly close: () => void;
}) {
  const formId = useId();
  const [name, setName] = useState('');
  const [wasSent, setSent] = useState(false);
  const wrong = bucketNameError(name);
  const { isBusy, error, run } = useAction(async () => {
    await props.create(name);
    props.close();
  });
  return (
    <Modal
      visible
      header="Create a bucket"
      closeAriaLabel="Close"
      onDismiss={() => props.close()}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={() => props.close()}>
              Cancel
            </Button>
            <Button variant="primary" form={formId} loading={isBusy}>
              Create bucket
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          setSent(true);
          if (wrong === undefined) run();
        }}
      >
        <SpaceBetween size="m">
          <FormField
            label="Name"
            description="3 to 63 of a-z, 0-9 and -. It cannot be changed later."
            errorText={wasSent && wrong}
          >
            <Input
              value={name}
              ref={focusAtOnce}
              placeholder="photos"
              spellcheck={false}
              autoComplete={false}
              onChange={({ detail }) => setName(detail.value)}
            />
          </FormField>
          {error !== undefined && <Failure what="The bucket was not created" error={error} />}
        </SpaceBetween>
      </form>
    </Modal>
  );
}
