/** A link by which anybody can read one object for a while. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import FormField from '@cloudscape-design/components/form-field';
import Modal from '@cloudscape-design/components/modal';
import RadioGroup from '@cloudscape-design/components/radio-group';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { SignedUrl } from '../api/storage';
import { Failure } from '../parts/failure';
import { timeText } from '../parts/format';
import { useAction } from '../parts/use-action';
import { useSession } from '../session/session-context';
import { fileNameOf } from './download';

const PERIODS = [
  { value: '300', label: '5 minutes' },
  { value: '900', label: '15 minutes' },
  { value: '3600', label: 'One hour' },
] as const;

export function LinkDialog(props: {
  readonly bucket: string;
  readonly objectKey: string;
  readonly close: () => void;
}) {
  const { bucket, objectKey: key } = props;
  const { storage } = useSession();
  const [period, setPeriod] = useState<string>('900');
  const [kind, setKind] = useState<string>('attachment');
  const [signed, setSigned] = useState<SignedUrl>();
  const { isBusy, error, run } = useAction(async () => {
    const disposition = `${kind}; filename="${fileNameOf(key)}"`;
    setSigned(await storage.signDownload(bucket, key, { expiresIn: Number(period), disposition }));
  });
  return (
    <Modal
      visible
      header="Make a link"
      closeAriaLabel="Close"
      onDismiss={() => props.close()}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={() => props.close()}>
              {signed ? 'Close' : 'Cancel'}
            </Button>
            {!signed && (
              <Button variant="primary" loading={isBusy} onClick={run}>
                Make the link
              </Button>
            )}
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        <Box variant="p">
          Whoever has the link can read <span className="code">{key}</span> as it is now, without a
          key, until the link ends.
        </Box>
        {signed ? (
          <SpaceBetween size="xs">
            <div className="code" data-testid="link">
              {signed.url}
            </div>
            <CopyToClipboard
              variant="button"
              copyButtonText="Copy"
              textToCopy={signed.url}
              copySuccessText="Copied"
              copyErrorText="The browser did not allow copying: select the text instead"
            />
            <Box variant="small">Good until {timeText(signed.expires_at)}.</Box>
          </SpaceBetween>
        ) : (
          <>
            <FormField label="Good for">
              <Select
                selectedOption={PERIODS.find(({ value }) => value === period) ?? null}
                options={PERIODS}
                onChange={({ detail }) => setPeriod(detail.selectedOption.value ?? period)}
              />
            </FormField>
            <FormField label="The browser of whoever opens it">
              <RadioGroup
                value={kind}
                items={[
                  { value: 'attachment', label: 'saves the file' },
                  { value: 'inline', label: 'shows it, if it can' },
                ]}
                onChange={({ detail }) => setKind(detail.value)}
              />
            </FormField>
          </>
        )}
        {error !== undefined && <Failure what="The link could not be made" error={error} />}
      </SpaceBetween>
    </Modal>
  );
}
