/** The dialog with the secret of a key, which is shown only once. */
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { shownText } from '../../../core/hidden';
import type { Schemas } from '../api/client';
import { timeText } from '../parts/format';

export function SecretDialog(props: {
  readonly made: Schemas['KeyWithSecret'];
  readonly close: () => void;
}) {
  const { key, api_key: secret } = props.made;
  return (
    <Modal
      visible
      header={`Key of “${shownText(key.name)}”`}
      closeAriaLabel="Close"
      // A click outside must not close the dialog before the secret is copied.
      onDismiss={({ detail }) => {
        if (detail.reason !== 'overlay') props.close();
      }}
      footer={
        <Box float="right">
          <Button variant="primary" onClick={props.close}>
            I have saved it
          </Button>
        </Box>
      }
    >
      <SpaceBetween size="m">
        <Alert type="warning" header="Save it now" statusIconAriaLabel="Warning">
          The secret is shown only once, and cannot be shown again.
        </Alert>
        <SpaceBetween size="xs">
          <div className="code" data-testid="secret">
            {secret}
          </div>
          <CopyToClipboard
            variant="button"
            copyButtonText="Copy"
            textToCopy={secret}
            copySuccessText="Copied"
            copyErrorText="The browser did not allow copying: select the text instead"
          />
        </SpaceBetween>
        {key.rotating_until !== undefined && (
          <Box variant="p">
            The previous secret works until {timeText(key.rotating_until)}: replace it by then.
          </Box>
        )}
      </SpaceBetween>
    </Modal>
  );
}
