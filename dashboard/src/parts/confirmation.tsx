/** Asks before something that cannot be undone. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { Failure } from './failure';
import { useAction } from './use-action';

export function Confirmation(props: {
  readonly title: string;
  readonly children: ReactNode;
  /** The word on the button that does it. */
  readonly confirm: string;
  readonly act: () => Promise<void>;
  /** After it was done; by default as when it is given up. */
  readonly done?: () => void;
  readonly close: () => void;
}) {
  const { isBusy, error, run } = useAction(async () => {
    await props.act();
    (props.done ?? props.close)();
  });
  return (
    <Modal
      visible
      header={props.title}
      closeAriaLabel="Close"
      onDismiss={() => props.close()}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={() => props.close()}>
              Cancel
            </Button>
            <Button variant="primary" loading={isBusy} onClick={run}>
              {props.confirm}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        <div>{props.children}</div>
        {error !== undefined && <Failure what="That did not work" error={error} />}
      </SpaceBetween>
    </Modal>
  );
}
