/** The time machine: the objects of a bucket as they were at a cursor, and the way back to them. */
import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import { useCallback, useState } from 'react';
import { BucketPath } from '../parts/bucket-path';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { Text } from '../parts/text';
import { useLoad } from '../parts/use-load';
import { useSettled } from '../parts/use-settled';
import { useSession, useSignedIn } from '../session/session-context';
import { CursorPicker } from './cursor-picker';
import { Differences } from './differences';
import { readSpan, type Span } from './past';
import { PastObjects } from './past-objects';

/** Milliseconds for which a choice must stay the same before it causes a request. */
const SETTLE_MS = 300;

export function HistoryPage({ bucket }: { readonly bucket: string }) {
  const session = useSession();
  const { epoch } = useSignedIn();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    (signal: AbortSignal) => readSpan(session, bucket, signal),
    [session, bucket, epoch],
  );
  const { value, error, reload } = useLoad(load);
  return (
    <SpaceBetween size="l">
      <BucketPath bucket={bucket} page="history" />
      <Header
        variant="h1"
        description="The bucket as it was at each of its changes that the service keeps."
      >
        <Text>History of {bucket}</Text>
      </Header>
      {error !== undefined && (
        <Failure what="The history could not be read" error={error} retry={reload} />
      )}
      {value === undefined && error === undefined && <div>Reading the history …</div>}
      {value && value.last > 0 && <TimeMachine bucket={bucket} span={value} reload={reload} />}
      {value?.last === 0 && (
        <Container>
          <Empty title="Nothing has changed yet">
            Every upload and deletion can be gone back to from here.
          </Empty>
        </Container>
      )}
    </SpaceBetween>
  );
}

function TimeMachine(props: {
  readonly bucket: string;
  readonly span: Span;
  readonly reload: () => void;
}) {
  const { bucket, span } = props;
  const [cursor, setCursor] = useState(span.last);
  const [prefix, setPrefix] = useState('');
  const settled = useSettled(`${cursor} ${prefix}`, SETTLE_MS);
  const separator = settled.indexOf(' ');
  const past = { asOf: Number(settled.slice(0, separator)), prefix: settled.slice(separator + 1) };
  const id = `${bucket} ${settled}`;
  return (
    <>
      <Container>
        <SpaceBetween size="m">
          <CursorPicker bucket={bucket} span={span} cursor={cursor} choose={setCursor} />
          <FormField label="Only keys that begin with">
            <Input
              value={prefix}
              type="search"
              placeholder="every key"
              spellcheck={false}
              autoComplete={false}
              onChange={({ detail }) => setPrefix(detail.value)}
            />
          </FormField>
        </SpaceBetween>
      </Container>
      <Tabs
        ariaLabel="What is shown of the past"
        tabs={[
          {
            id: 'objects',
            label: 'Objects then',
            content: <PastObjects key={id} bucket={bucket} {...past} />,
          },
          {
            id: 'differences',
            label: 'Compared with now',
            content: <Differences key={id} bucket={bucket} {...past} restored={props.reload} />,
          },
        ]}
      />
      <Box variant="small">
        Nothing is changed by looking. A restore consists of ordinary changes, which can be undone
        here, too.
      </Box>
    </>
  );
}
