/** The dialog that creates or changes a key. */
import ColumnLayout from '@cloudscape-design/components/column-layout';
import DatePicker from '@cloudscape-design/components/date-picker';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useCallback, useState } from 'react';
import type { ApiKey, KeySettings } from '../api/admin';
import { allPages } from '../parts/all-pages';
import { focusField } from '../parts/focus-field';
import { FormDialog } from '../parts/form-dialog';
import { timeText } from '../parts/format';
import { useLoad } from '../parts/use-load';
import { useSession, useSignedIn } from '../session/session-context';
import { dateError, EXPIRIES, type ExpiryChoice, expiryOf } from './expiry';
import { PermissionBuilder } from './permission-builder';
import { draftsOf, emptyDraft, isComplete, permissionOf } from './permission-draft';

export function KeyForm(props: {
  /** The key to change. Absent: a new key is created. */
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
  const [date, setDate] = useState('');
  const [drafts, setDrafts] = useState(() =>
    subject ? draftsOf(subject.permissions) : [emptyDraft(0)],
  );
  const [showsErrors, setShowsErrors] = useState(false);

  const known = useBucketNames();
  const end = { choice: expiry, date, current: subject?.expires_at };
  const expiryError = dateError(end, Date.now());
  const nameError = name.trim() === '' ? 'Give the key a name.' : '';
  const validate = () => {
    setShowsErrors(true);
    return nameError === '' && !expiryError && drafts.every(isComplete);
  };
  const act = async () => {
    await props.save({
      name: name.trim(),
      tier,
      permissions: drafts.map(permissionOf),
      expires_at: expiryOf(end, Date.now()),
    });
    props.saved();
  };
  const keep = {
    value: 'keep',
    label: subject?.expires_at ? `Unchanged: ${timeText(subject.expires_at)}` : 'Unchanged: never',
  };
  const expiries = [...(subject ? [keep] : []), ...EXPIRIES, { value: 'date', label: 'On a day' }];

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
        <PermissionBuilder
          drafts={drafts}
          known={known}
          change={setDrafts}
          showErrors={showsErrors}
        />
        <ColumnLayout columns={2}>
          <FormField label="Expires" errorText={showsErrors && expiryError}>
            <SpaceBetween size="xs">
              <Select
                selectedOption={expiries.find(({ value }) => value === expiry) ?? null}
                options={expiries}
                onChange={({ detail }) =>
                  setExpiry((detail.selectedOption.value ?? 'never') as ExpiryChoice)
                }
              />
              {expiry === 'date' && <LastDay date={date} choose={setDate} />}
            </SpaceBetween>
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

function LastDay(props: { readonly date: string; readonly choose: (date: string) => void }) {
  return (
    <DatePicker
      value={props.date}
      placeholder="YYYY/MM/DD"
      ariaLabel="Last day of the key"
      openCalendarAriaLabel={() => 'Choose the last day'}
      isDateEnabled={(day) => day.getTime() + 86_400_000 > Date.now()}
      onChange={({ detail }) => props.choose(detail.value)}
    />
  );
}

/** Reads the buckets to choose from. If that fails, the user has to type their names. */
function useBucketNames(): readonly string[] {
  const { storage } = useSession();
  const load = useCallback(
    (signal: AbortSignal) => allPages((next) => storage.buckets(next, signal), signal),
    [storage],
  );
  return useLoad(load).value?.items.map(({ name }) => name) ?? [];
}
