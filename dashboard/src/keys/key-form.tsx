/** The dialog that creates or changes a key. */
import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { ApiKey, KeySettings } from '../api/admin';
import { focusField } from '../parts/focus-field';
import { FormDialog } from '../parts/form-dialog';
import { timeText } from '../parts/format';
import { useSignedIn } from '../session/session-context';
import { EXPIRIES, type ExpiryChoice, expiryOf } from './expiry';
import { PermissionBuilder } from './permission-builder';
import { draftsOf, emptyDraft, isComplete, permissionOf } from './permission-draft';

export function KeyForm(props: {
  /** The key to change. Absent: creates one. */
  readonly subject?: ApiKey;
  readonly save: (settings: KeySettings) => Promise<void>;
  /** Called after it was saved. */
  readonly saved: () => void;
  readonly close: () => void;
}) {
  const { subject } = props;
  const { config } = useSignedIn();
  const [name, setName] = useState(subject?.name ?? '');
  const [tier, setTier] = useState(subject?.tier ?? 'default');
  const [expiry, setExpiry] = useState<ExpiryChoice>(subject ? 'keep' : 'never');
  const [drafts, setDrafts] = useState(() =>
    subject ? draftsOf(subject.permissions) : [emptyDraft(0)],
  );
  const [showsErrors, setShowsErrors] = useState(false);

  const nameError = name.trim() === '' ? 'Give the key a name.' : '';
  const validate = () => {
    setShowsErrors(true);
    return nameError === '' && drafts.every(isComplete);
  };
  const act = async () => {
    await props.save({
      name: name.trim(),
      tier,
      permissions: drafts.map(permissionOf),
      expires_at: expiryOf(expiry, subject?.expires_at, Date.now()),
    });
    props.saved();
  };
  const keep = {
    value: 'keep',
    label: subject?.expires_at ? `Unchanged: ${timeText(subject.expires_at)}` : 'Unchanged: never',
  };
  const expiries = [...(subject ? [keep] : []), ...EXPIRIES];

  return (
    <FormDialog
      title={subject ? `Change “${subject.name}”` : 'Create an API key'}
      size="large"
      submit={{ text: subject ? 'Save' : 'Create key', validate, act }}
      failure="The key was not saved"
      close={props.close}
    >
      <SpaceBetween size="l">
        <FormField label="Name" errorText={showsErrors && nameError}>
          <Input
            value={name}
            ref={focusField}
            placeholder="Backup of the web shop"
            autoComplete={false}
            inputMode="text"
            onChange={({ detail }) => setName(detail.value.slice(0, 100))}
          />
        </FormField>
        <PermissionBuilder drafts={drafts} change={setDrafts} showErrors={showsErrors} />
        <ColumnLayout columns={2}>
          <FormField label="Expires">
            <Select
              selectedOption={expiries.find(({ value }) => value === expiry) ?? null}
              options={expiries}
              onChange={({ detail }) =>
                setExpiry((detail.selectedOption.value ?? 'never') as ExpiryChoice)
              }
            />
          </FormField>
          {config.tiers.length > 1 && (
            <FormField label="Rate limits" description="The tier of the key.">
              <Select
                selectedOption={{ value: tier, label: tier }}
                options={config.tiers.map((value) => ({ value, label: value }))}
                onChange={({ detail }) => setTier(detail.selectedOption.value ?? tier)}
              />
            </FormField>
          )}
        </ColumnLayout>
      </SpaceBetween>
    </FormDialog>
  );
}
