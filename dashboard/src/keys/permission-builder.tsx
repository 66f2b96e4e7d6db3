/** The form for the permissions of a key, with sentences that say what they permit. */
import Alert from '@cloudscape-design/components/alert';
import Autosuggest from '@cloudscape-design/components/autosuggest';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { ACTION_LABELS, ACTIONS } from '../api/actions';
import type { Action } from '../api/admin';
import { Text } from '../parts/text';
import {
  completionsOf,
  emptyDraft,
  errorsOf,
  type PermissionDraft,
  sentencesOf,
} from './permission-draft';
import { PRESETS, presetOf, withPreset } from './presets';

interface BuilderProps {
  readonly drafts: readonly PermissionDraft[];
  /** Names of buckets to choose from. */
  readonly known: readonly string[];
  readonly change: (drafts: PermissionDraft[]) => void;
  /** Whether missing values are marked as errors. */
  readonly showErrors: boolean;
}

export function PermissionBuilder({ drafts, known, change, showErrors }: BuilderProps) {
  const replace = (changed: PermissionDraft) =>
    change(drafts.map((draft) => (draft.id === changed.id ? changed : draft)));
  const add = () => {
    const id = Math.max(-1, ...drafts.map((draft) => draft.id)) + 1;
    change([...drafts, emptyDraft(id)]);
  };
  return (
    <SpaceBetween size="m">
      {drafts.map((draft, index) => (
        <Rule
          key={draft.id}
          title={drafts.length === 1 ? 'Permission' : `Permission ${index + 1}`}
          draft={draft}
          known={known}
          change={replace}
          showErrors={showErrors}
          remove={
            drafts.length > 1 ? () => change(drafts.filter(({ id }) => id !== draft.id)) : undefined
          }
        />
      ))}
      <Button iconName="add-plus" formAction="none" onClick={add}>
        Add another permission
      </Button>
      <Meaning drafts={drafts} />
    </SpaceBetween>
  );
}

function Rule(props: {
  readonly title: string;
  readonly draft: PermissionDraft;
  readonly known: readonly string[];
  readonly change: (draft: PermissionDraft) => void;
  readonly showErrors: boolean;
  readonly remove: (() => void) | undefined;
}) {
  const { draft, known, change } = props;
  const all = errorsOf(draft);
  // An invalid name is marked at once, a missing one only when the form is submitted.
  const errors = props.showErrors ? all : draft.buckets === '' ? {} : { buckets: all.buckets };
  const toggle = (action: Action, isOn: boolean) =>
    change({
      ...draft,
      actions: ACTIONS.filter((known) => (known === action ? isOn : draft.actions.includes(known))),
    });
  return (
    <Container
      header={
        <Header
          variant="h3"
          actions={
            props.remove && (
              <Button
                variant="icon"
                iconName="remove"
                formAction="none"
                ariaLabel={`Remove ${props.title.toLowerCase()}`}
                onClick={props.remove}
              />
            )
          }
        >
          {props.title}
        </Header>
      }
    >
      <SpaceBetween size="m">
        <ColumnLayout columns={2}>
          <FormField
            label="Buckets"
            description="Names, or beginnings that end in *, between commas."
            errorText={errors.buckets}
          >
            <Autosuggest
              value={draft.buckets}
              placeholder="photos, team-*"
              filteringType="manual"
              enteredTextLabel={(value) => `As typed: ${value}`}
              options={completionsOf(draft.buckets, known).map(({ text, name }) => ({
                value: text,
                label: name === '*' ? '* (all buckets)' : name,
              }))}
              onChange={({ detail }) => change({ ...draft, buckets: detail.value })}
            />
          </FormField>
          <FormField
            label={<>Only keys that begin with {!draft.isFolder && <i>(optional)</i>}</>}
            description="Empty: every key of the buckets."
            errorText={errors.prefix}
          >
            <Input
              value={draft.prefix}
              placeholder="2026/"
              spellcheck={false}
              autoComplete={false}
              onChange={({ detail }) => change({ ...draft, prefix: detail.value })}
            />
          </FormField>
        </ColumnLayout>
        <SegmentedControl
          label="Presets"
          selectedId={presetOf(draft) ?? null}
          options={PRESETS}
          onChange={({ detail }) => {
            const preset = PRESETS.find(({ id }) => id === detail.selectedId);
            if (preset) change(withPreset(draft, preset.id));
          }}
        />
        <FormField label="May" errorText={errors.actions}>
          <ColumnLayout columns={4} minColumnWidth={140}>
            {ACTIONS.map((action) => (
              <Checkbox
                key={action}
                checked={draft.actions.includes(action)}
                onChange={({ detail }) => toggle(action, detail.checked)}
              >
                {ACTION_LABELS[action]}
              </Checkbox>
            ))}
          </ColumnLayout>
        </FormField>
      </SpaceBetween>
    </Container>
  );
}

function Meaning({ drafts }: Pick<BuilderProps, 'drafts'>) {
  const sentences = sentencesOf(drafts);
  return (
    <div role="status" data-testid="meaning">
      <Alert type="info" header="In plain words" statusIconAriaLabel="Info">
        {sentences.length === 0 ? (
          'Nothing yet: a key without a complete permission can do nothing.'
        ) : (
          <ul>
            {sentences.map((sentence) => (
              <li key={sentence}>
                <Box variant="span">
                  <Text>{sentence}</Text>
                </Box>
              </li>
            ))}
          </ul>
        )}
      </Alert>
    </div>
  );
}
