/** Making a key, and changing one: the same form. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Form from '@cloudscape-design/components/form';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useId, useState } from 'react';
import type { ApiKey, KeySettings } from '../api/admin';
import { Failure } from '../parts/failure';
import { focusAtOnce } from '../parts/focus-at-once';
import { timeText } from '../parts/format';
import { useAction } from '../parts/use-action';
import { useSignedIn } from '../session/session-context';
import { EXPIRIES, type ExpiryChoice, expiryOf } from './expiry';
import { PermissionBuilder } from './permission-builder';
import { draftsOf, emptyDraft, isComplete, permissionOf } from './permission-draft';

export function KeyForm(props: {
  /** The key that is to be changed; none: a new one. */
  readonly subject?: ApiKey;
  readonly save: (settings: KeySettings) => Promise<void>;
  /** After it was saved. */
  readonly saved: () => void;
  /** Given up. */
  readonly close: () => void;
}) {
  const { subject } = props;
  const { config } = useSignedIn();
  const formId = useId();
  const [name, setName] = useState(subject?.name ?? '');
  const [tier, setTier] = useState(subject?.tier ?? 'default');
  const [expiry, setExpiry] = useState<ExpiryChoice>(subject ? 'keep' : 'never');
  const [drafts, setDrafts] = useState(() =>
    subject ? draftsOf(subject.permissions) : [emptyDraft(0)],
  );
  const [wasSent, setSent] = useState(false);

  const nameError = name.trim() === '' ? 'Give the key a name by which you will know it.' : '';
  const { isBusy, error, run } = useAction(async () => {
    await props.save({
      name: name.trim(),
      tier,
      permissions: drafts.map(permissionOf),
      expires_at: expiryOf(expiry, subject?.expires_at, Date.now()),
    });
    props.saved();
  });
  const keep = {
    value: 'keep',
    label: subject?.expires_at ? `As it is: ${timeText(subject.expires_at)}` : 'As it is: never',
  };
  const expiries = [...(subject ? [keep] : []), ...EXPIRIES];

  return (
    <Modal
      visible
      size="large"
      header={subject ? `Change “${subject.name}”` : 'Create an API key'}
      closeAriaLabel="Close"
      onDismiss={props.close}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={props.close}>
              Cancel
            </Button>
            <Button variant="primary" form={formId} loading={isBusy}>
              {subject ? 'Save' : 'Create key'}
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
          if (nameError === '' && drafts.every(isComplete)) run();
        }}
      >
        <Form>
          <SpaceBetween size="l">
            <FormField label="Name" errorText={wasSent && nameError}>
              <Input
                value={name}
                ref={focusAtOnce}
                placeholder="Backup of the web shop"
                autoComplete={false}
                inputMode="text"
                onChange={({ detail }) => setName(detail.value.slice(0, 100))}
              />
            </FormField>
            <PermissionBuilder drafts={drafts} change={setDrafts} showErrors={wasSent} />
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
                <FormField label="Rate limits" description="The tier decides how much is allowed.">
                  <Select
                    selectedOption={{ value: tier, label: tier }}
                    options={config.tiers.map((value) => ({ value, label: value }))}
                    onChange={({ detail }) => setTier(detail.selectedOption.value ?? tier)}
                  />
                </FormField>
              )}
            </ColumnLayout>
            {error !== undefined && <Failure what="The key was not saved" error={error} />}
          </SpaceBetween>
        </Form>
      </form>
    </Modal>
  );
}
