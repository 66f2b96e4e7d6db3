/** A dialog with a form, a submit button, Cancel, and the error of the last attempt. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useId } from 'react';
import { shownText } from '../../../core/hidden';
import { Failure } from './failure';
import { useAction } from './use-action';

export function FormDialog(props: {
  readonly title: string;
  readonly size?: 'medium' | 'large';
  readonly children: ReactNode;
  /** Absent once there is nothing left to submit: only Close remains. */
  readonly submit?: {
    /** The text of the button. */
    readonly text: string;
    /** Called before `act`. Returns false when a field is wrong; then nothing is sent. */
    readonly validate?: () => boolean;
    readonly act: () => Promise<void>;
  };
  /** What could not be done, when `act` throws. */
  readonly failure: string;
  readonly close: () => void;
}) {
  const { submit, close } = props;
  const formId = useId();
  const { isBusy, error, run } = useAction(async () => submit?.act());
  return (
    <Modal
      visible
      size={props.size}
      // A centered dialog would jump whenever its height changes.
      position="top"
      header={shownText(props.title)}
      closeAriaLabel="Close"
      onDismiss={() => close()}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={() => close()}>
              {submit ? 'Cancel' : 'Close'}
            </Button>
            {submit && (
              <Button variant="primary" form={formId} loading={isBusy}>
                {submit.text}
              </Button>
            )}
          </SpaceBetween>
        </Box>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          if (submit?.validate?.() ?? true) run();
        }}
      >
        <SpaceBetween size="m">
          {props.children}
          {error !== undefined && <Failure what={props.failure} error={error} />}
        </SpaceBetween>
      </form>
    </Modal>
  );
}
