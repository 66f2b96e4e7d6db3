/** The form for the lifecycle rules of a bucket. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Grid from '@cloudscape-design/components/grid';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { LifecycleRule } from '../../../client/buckets';
import { LIMITS } from '../api/limits';
import { Confirmation } from '../parts/confirmation';
import { Text } from '../parts/text';
import {
  daysError,
  draftsOf,
  isComplete,
  prefixError,
  type RuleDraft,
  rulesOf,
  sentencesOf,
  withNew,
} from './rules';

export function LifecycleForm(props: {
  readonly rules: readonly LifecycleRule[];
  readonly save: (rules: readonly LifecycleRule[]) => Promise<void>;
}) {
  const [drafts, setDrafts] = useState(() => draftsOf(props.rules));
  const [showsErrors, setShowsErrors] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const rules = rulesOf(drafts);
  const isChanged = JSON.stringify(rules) !== JSON.stringify(rulesOf(draftsOf(props.rules)));
  const submit = () => {
    setShowsErrors(true);
    if (isComplete(drafts)) setAsking(true);
  };
  return (
    <Container
      header={
        <Header
          variant="h2"
          description="The service deletes objects by their age. Older versions and deletions stay readable for the retention."
        >
          Lifecycle rules
        </Header>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <SpaceBetween size="m">
          {drafts.length === 0 && (
            <Box color="text-body-secondary">No rules: objects stay until they are deleted.</Box>
          )}
          {drafts.map((draft, index) => (
            <Rule
              key={draft.id}
              number={index + 1}
              draft={draft}
              drafts={drafts}
              showsErrors={showsErrors}
              change={(changed) =>
                setDrafts(drafts.map((other) => (other.id === changed.id ? changed : other)))
              }
              remove={() => setDrafts(drafts.filter(({ id }) => id !== draft.id))}
            />
          ))}
          <SpaceBetween direction="horizontal" size="xs">
            <Button
              iconName="add-plus"
              formAction="none"
              disabled={drafts.length >= LIMITS.lifecycleRules}
              onClick={() => setDrafts(withNew(drafts))}
            >
              Add a rule
            </Button>
            <Button variant="primary" disabled={!isChanged}>
              Save the rules
            </Button>
          </SpaceBetween>
        </SpaceBetween>
      </form>
      {isAsking && (
        <Confirmation
          title="Change the lifecycle rules?"
          confirm="Save"
          act={() => props.save(rules)}
          close={() => setAsking(false)}
        >
          <Meaning rules={rules} />
        </Confirmation>
      )}
    </Container>
  );
}

function Rule(props: {
  readonly number: number;
  readonly draft: RuleDraft;
  readonly drafts: readonly RuleDraft[];
  readonly showsErrors: boolean;
  readonly change: (draft: RuleDraft) => void;
  readonly remove: () => void;
}) {
  const { number, draft, drafts, showsErrors, change } = props;
  return (
    <Grid
      gridDefinition={[
        { colspan: { default: 12, xs: 5 } },
        { colspan: { default: 12, xs: 4 } },
        { colspan: { default: 12, xs: 3 } },
      ]}
    >
      <FormField
        label={`Keys that begin with (rule ${number})`}
        errorText={prefixError(draft, drafts)}
      >
        <Input
          value={draft.prefix}
          placeholder="every key"
          spellcheck={false}
          autoComplete={false}
          onChange={({ detail }) => change({ ...draft, prefix: detail.value })}
        />
      </FormField>
      <FormField label="Days" errorText={showsErrors && daysError(draft)}>
        <Input
          value={draft.days}
          inputMode="numeric"
          placeholder="30"
          autoComplete={false}
          ariaLabel={`Days of rule ${number}`}
          onChange={({ detail }) => change({ ...draft, days: detail.value })}
        />
      </FormField>
      <Box padding={{ top: 'xl' }}>
        <Button
          iconName="remove"
          formAction="none"
          ariaLabel={`Remove rule ${number}`}
          onClick={props.remove}
        >
          Remove
        </Button>
      </Box>
    </Grid>
  );
}

function Meaning({ rules }: { readonly rules: readonly LifecycleRule[] }) {
  if (rules.length === 0) return <>Objects stay until they are deleted.</>;
  return (
    <>
      <ul>
        {sentencesOf(rules).map((sentence) => (
          <li key={sentence}>
            <Text>{sentence}</Text>
          </li>
        ))}
      </ul>
      Objects that are old enough already are deleted within a day.
    </>
  );
}
