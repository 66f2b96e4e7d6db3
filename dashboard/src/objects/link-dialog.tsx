/** The dialog that creates a link, with which anyone can open one object. */
import Box from '@cloudscape-design/components/box';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Link from '@cloudscape-design/components/link';
import RadioGroup from '@cloudscape-design/components/radio-group';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useLayoutEffect, useRef, useState } from 'react';
import type { CreatedLink } from '../api/storage';
import { FormDialog } from '../parts/form-dialog';
import { timeText } from '../parts/format';
import { hrefOf } from '../parts/navigation';
import { Text } from '../parts/text';
import { useSession } from '../session/session-context';
import { fileNameOf } from './download';

const DAY = 86_400;

const PERIODS = [
  { value: '3600', label: 'One hour' },
  { value: String(DAY), label: 'One day' },
  { value: String(7 * DAY), label: '7 days' },
  { value: String(30 * DAY), label: '30 days' },
  { value: String(365 * DAY), label: 'A year' },
] as const;

const INITIAL = {
  period: String(7 * DAY) as string,
  kind: 'attachment',
  uses: '',
  password: '',
  note: '',
};

type Fields = typeof INITIAL;

export function LinkDialog(props: {
  readonly bucket: string;
  readonly objectKey: string;
  readonly close: () => void;
}) {
  const { bucket, objectKey: key } = props;
  const { storage } = useSession();
  const [fields, setFields] = useState(INITIAL);
  const [showsError, setShowsError] = useState(false);
  const [made, setMade] = useState<CreatedLink>();
  const { period, kind, uses, password, note } = fields;
  const isValid = uses === '' || /^[1-9]\d{0,8}$/.test(uses);
  const validate = () => {
    setShowsError(true);
    return isValid;
  };
  const act = async () => {
    const link = await storage.createLink({
      ...{ bucket, key, expires_in: Number(period) },
      disposition: `${kind}; filename="${fileNameOf(key)}"`,
      ...(uses !== '' && { max_uses: Number(uses) }),
      ...(password !== '' && { password }),
      ...(note !== '' && { note }),
    });
    setMade(link);
  };
  return (
    <FormDialog
      title="Create a link"
      submit={made ? undefined : { text: 'Create the link', validate, act }}
      failure="The link was not created"
      close={props.close}
    >
      <SpaceBetween size="m">
        <Box variant="p">
          Anyone who has the link can open <Text code>{key}</Text>, also after it has changed,
          without an API key, until the link ends.
        </Box>
        {made ? (
          <Made link={made} />
        ) : (
          <Form
            fields={fields}
            change={(changed) => setFields({ ...fields, ...changed })}
            usesError={showsError && !isValid ? 'A whole number from 1, or nothing.' : undefined}
          />
        )}
      </SpaceBetween>
    </FormDialog>
  );
}

function Made({ link: { bucket, url, expires_at: end } }: { readonly link: CreatedLink }) {
  const place = useRef<HTMLDivElement>(null);
  // The focused button is gone, and Escape closes the dialog only while the focus is inside. The
  // focus moves before the link is painted, so that no key press is lost.
  useLayoutEffect(() => place.current?.querySelector('button')?.focus(), []);
  return (
    <SpaceBetween size="xs">
      <div className="code" data-testid="link">
        {url}
      </div>
      <div ref={place}>
        <CopyToClipboard
          variant="button"
          copyButtonText="Copy"
          textToCopy={url}
          copySuccessText="Copied"
          copyErrorText="The browser did not allow copying: select the text instead"
        />
      </div>
      <Box variant="small">
        Valid until {timeText(end)}. It cannot be shown again; the{' '}
        <Link fontSize="inherit" href={hrefOf({ page: 'links', bucket })}>
          links of the bucket
        </Link>{' '}
        can be revoked.
      </Box>
    </SpaceBetween>
  );
}

function Form(props: {
  readonly fields: Fields;
  readonly change: (changed: Partial<Fields>) => void;
  readonly usesError: string | undefined;
}) {
  const { fields, change } = props;
  return (
    <SpaceBetween size="m">
      <FormField label="Valid for">
        <Select
          selectedOption={PERIODS.find(({ value }) => value === fields.period) ?? null}
          options={PERIODS}
          onChange={({ detail }) =>
            change({ period: detail.selectedOption.value ?? fields.period })
          }
        />
      </FormField>
      <FormField
        label="Downloads"
        description="How often it can be used. Empty: any number of times."
        errorText={props.usesError}
      >
        <Input
          value={fields.uses}
          inputMode="numeric"
          onChange={({ detail }) => change({ uses: detail.value })}
        />
      </FormField>
      <FormField label="Password" description="Opening the link needs it. Empty: none.">
        <Input
          value={fields.password}
          type="password"
          autoComplete="new-password"
          onChange={({ detail }) => change({ password: detail.value })}
        />
      </FormField>
      <FormField label="Note" description="Shown on the page of the link.">
        <Input value={fields.note} onChange={({ detail }) => change({ note: detail.value })} />
      </FormField>
      <FormField label="When the link is opened, the browser">
        <RadioGroup
          value={fields.kind}
          items={[
            { value: 'attachment', label: 'saves the file' },
            { value: 'inline', label: 'shows it, if it can' },
          ]}
          onChange={({ detail }) => change({ kind: detail.value })}
        />
      </FormField>
    </SpaceBetween>
  );
}
