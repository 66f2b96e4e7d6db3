/** The dialog that creates a link by which anyone can read one object for a limited time. */
import Box from '@cloudscape-design/components/box';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import FormField from '@cloudscape-design/components/form-field';
import RadioGroup from '@cloudscape-design/components/radio-group';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { SignedUrl } from '../api/storage';
import { FormDialog } from '../parts/form-dialog';
import { timeText } from '../parts/format';
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
  const act = async () => {
    const disposition = `${kind}; filename="${fileNameOf(key)}"`;
    setSigned(await storage.signDownload(bucket, key, { expiresIn: Number(period), disposition }));
  };
  return (
    <FormDialog
      title="Create a link"
      submit={signed ? undefined : { text: 'Create the link', act }}
      failure="The link was not created"
      close={props.close}
    >
      <SpaceBetween size="m">
        <Box variant="p">
          Anyone who has the link can read <span className="code">{key}</span> as it is now, without
          an API key, until the link expires.
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
            <Box variant="small">Valid until {timeText(signed.expires_at)}.</Box>
          </SpaceBetween>
        ) : (
          <>
            <FormField label="Valid for">
              <Select
                selectedOption={PERIODS.find(({ value }) => value === period) ?? null}
                options={PERIODS}
                onChange={({ detail }) => setPeriod(detail.selectedOption.value ?? period)}
              />
            </FormField>
            <FormField label="When the link is opened, the browser">
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
      </SpaceBetween>
    </FormDialog>
  );
}
