/** The page that shows the changes of a bucket as they happen. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Link from '@cloudscape-design/components/link';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useState } from 'react';
import type { Change } from '../../../client/channel/events';
import { BucketPath } from '../parts/bucket-path';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { countText, sizeText, timeText } from '../parts/format';
import { goTo, hrefOf } from '../parts/navigation';
import { Text } from '../parts/text';
import { useNarrow } from '../parts/use-narrow';
import { type ChangeFilter, filtered, MOST_SHOWN, statusOf } from './change-window';
import { ConsumersTable } from './consumers-table';
import { timeOf } from './read-changes';
import { type Following, useChanges } from './use-changes';
import { useEarlier } from './use-earlier';

export function ChangesPage({ bucket }: { readonly bucket: string }) {
  const isNarrow = useNarrow();
  const [attempt, setAttempt] = useState(0);
  const following = useChanges(bucket, undefined, attempt);
  const [paused, setPaused] = useState<Following>();
  const [filter, setFilter] = useState<ChangeFilter>({ text: '', type: 'all' });
  const earlier = useEarlier(bucket, following);
  const known = [...(paused ?? following).changes, ...earlier.changes];
  const shown = filtered(known, filter);
  const missed = paused ? following.seen - paused.seen : 0;
  const { error } = following;
  return (
    <SpaceBetween size="m">
      <BucketPath bucket={bucket} page="changes" />
      {earlier.error !== undefined && (
        <Failure what="The earlier changes could not be read" error={earlier.error} />
      )}
      {error !== undefined && (
        <Failure
          what="The changes of the bucket cannot be read"
          error={error}
          retry={() => setAttempt(attempt + 1)}
        />
      )}
      <Table
        items={shown}
        trackBy={({ cursor }) => String(cursor)}
        variant="full-page"
        stickyHeader={false}
        wrapLines
        columnDefinitions={isNarrow ? NARROW : WIDE}
        ariaLabels={{ tableLabel: `Changes of ${bucket}` }}
        empty={
          error === undefined && (
            <Empty
              title={
                known.length === 0 ? 'No changes since this page was opened' : 'No change matches'
              }
            >
              {known.length === 0
                ? 'Uploads to this bucket and deletes appear here at once.'
                : 'Change the search text.'}
            </Empty>
          )
        }
        header={
          <SpaceBetween size="m">
            <Header
              variant="h1"
              description={`As they happen: the newest ${MOST_SHOWN} since this page was opened.`}
              actions={
                <SpaceBetween direction="horizontal" size="xs">
                  <Button onClick={() => goTo({ page: 'history', bucket })}>Time machine</Button>
                  <Button
                    iconName={paused ? 'caret-right-filled' : 'pause'}
                    onClick={() => setPaused(paused ? undefined : following)}
                  >
                    {paused
                      ? `Continue${missed > 0 ? ` (${countText(missed)} new)` : ''}`
                      : 'Pause'}
                  </Button>
                </SpaceBetween>
              }
            >
              <Text>Changes of {bucket}</Text>
            </Header>
            <Box padding={{ bottom: 's' }}>
              <Progress following={following} />
            </Box>
          </SpaceBetween>
        }
        filter={<Filter filter={filter} change={setFilter} />}
        footer={<Earlier {...earlier} />}
      />
      <ConsumersTable bucket={bucket} />
    </SpaceBetween>
  );
}

function Earlier(props: ReturnType<typeof useEarlier>) {
  const { isOldest, isLoading, load } = props;
  if (isOldest === undefined) return null;
  return (
    <Box textAlign="center">
      {isOldest ? (
        <Box variant="small">No earlier change is kept.</Box>
      ) : (
        <Button loading={isLoading} onClick={load}>
          Show earlier changes
        </Button>
      )}
    </Box>
  );
}

function Progress({ following }: { readonly following: Following }) {
  const { progress, seen } = following;
  const known = (value: number | undefined) => (value === undefined ? '–' : countText(value));
  return (
    <KeyValuePairs
      columns={4}
      minColumnWidth={120}
      items={[
        { label: 'Connection', value: <Connection following={following} /> },
        {
          label: 'Cursor',
          value: <span data-testid="cursor">{known(progress?.cursor)}</span>,
        },
        { label: 'Behind the newest by', value: known(progress?.lag) },
        { label: 'Changes seen', value: countText(seen) },
      ]}
    />
  );
}

function Connection({ following }: { readonly following: Following }) {
  const { transport, reason } = following;
  switch (statusOf(following)) {
    case 'connecting':
      return <StatusIndicator type="loading">Connecting</StatusIndicator>;
    case 'connected':
      return (
        <StatusIndicator type="success">
          {transport === 'poll' ? 'Live, by long polling' : 'Live'}
        </StatusIndicator>
      );
    case 'disconnected':
      return <StatusIndicator type="pending">Connecting again</StatusIndicator>;
    case 'ended':
      return (
        <StatusIndicator type="stopped">
          <Text>Ended. {reason}</Text>
        </StatusIndicator>
      );
  }
}

function Filter(props: {
  readonly filter: ChangeFilter;
  readonly change: (filter: ChangeFilter) => void;
}) {
  const { filter, change } = props;
  return (
    <ColumnLayout columns={2}>
      <Input
        type="search"
        value={filter.text}
        placeholder="Find by part of a key"
        ariaLabel="Find changes by part of a key"
        onChange={({ detail }) => change({ ...filter, text: detail.value })}
      />
      <SegmentedControl
        label="Kind of change"
        selectedId={filter.type}
        options={[
          { id: 'all', text: 'All' },
          { id: 'put', text: 'Written' },
          { id: 'delete', text: 'Deleted' },
        ]}
        onChange={({ detail }) =>
          change({ ...filter, type: detail.selectedId as ChangeFilter['type'] })
        }
      />
    </ColumnLayout>
  );
}

type Column = TableProps.ColumnDefinition<Change>;

const WIDE: Column[] = [
  { id: 'cursor', header: 'Cursor', minWidth: 90, cell: ({ cursor }) => countText(cursor) },
  { id: 'type', header: 'Change', minWidth: 110, cell: (change) => <Kind change={change} /> },
  {
    id: 'key',
    header: 'Key',
    minWidth: 200,
    isRowHeader: true,
    cell: (change) => <Key change={change} />,
  },
  { id: 'version', header: 'Version', minWidth: 80, cell: ({ object }) => object.version },
  { id: 'size', header: 'Size', minWidth: 90, cell: sizeOf },
  { id: 'time', header: 'When', minWidth: 140, cell: whenOf },
];

const NARROW: Column[] = [
  {
    id: 'change',
    header: 'Change',
    isRowHeader: true,
    cell: (change) => (
      <SpaceBetween size="xxs">
        <Key change={change} />
        <Kind change={change} />
        <Box variant="small">
          {[`Cursor ${countText(change.cursor)}`, sizeOf(change), whenOf(change)]
            .filter((text) => text !== '')
            .join(', ')}
        </Box>
      </SpaceBetween>
    ),
  },
];

function Kind({ change }: { readonly change: Change }) {
  if (change.type === 'delete') {
    const word = change.cause === 'expired' ? 'Expired' : 'Deleted';
    return <StatusIndicator type="stopped">{word}</StatusIndicator>;
  }
  const word = change.object.version === 1 ? 'Created' : 'Written';
  return <StatusIndicator type="success">{word}</StatusIndicator>;
}

function Key({ change }: { readonly change: Change }) {
  const { bucket, object } = change;
  const { key } = object;
  return (
    <Link href={hrefOf({ page: 'object', bucket, key })}>
      <Text>{object.key}</Text>
    </Link>
  );
}

function sizeOf(change: Change): string {
  return change.type === 'put' ? sizeText(change.object.size) : '';
}

function whenOf(change: Change): string {
  return timeText(timeOf(change));
}
