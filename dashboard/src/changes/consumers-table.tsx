/** The consumers of a bucket, and how far each is behind. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useCallback } from 'react';
import type { Consumer } from '../api/storage';
import { allPages } from '../parts/all-pages';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { countText, durationText, plural, timeText } from '../parts/format';
import { Text } from '../parts/text';
import { useLoad } from '../parts/use-load';
import { useNarrow } from '../parts/use-narrow';
import { useSession, useSignedIn } from '../session/session-context';

export function ConsumersTable({ bucket }: { readonly bucket: string }) {
  const { storage } = useSession();
  const { epoch } = useSignedIn();
  const isNarrow = useNarrow();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    (signal: AbortSignal) => allPages((next) => storage.consumers(bucket, next, signal), signal),
    [storage, bucket, epoch],
  );
  const { value, error, isLoading, reload } = useLoad(load);
  const items = value?.items ?? [];
  return (
    <SpaceBetween size="m">
      {error !== undefined && (
        <Failure what="The consumers could not be read" error={error} retry={reload} />
      )}
      <Table
        items={items}
        trackBy={({ name }) => name}
        wrapLines
        loading={isLoading && value === undefined}
        loadingText="Reading consumers …"
        ariaLabels={{ tableLabel: `Consumers of ${bucket}` }}
        columnDefinitions={isNarrow ? NARROW : WIDE}
        empty={
          error === undefined && (
            <Empty title="No consumers">
              Followers that keep their cursor under a name appear here.
            </Empty>
          )
        }
        header={
          <Header
            variant="h2"
            description="Followers that keep their cursor here, and how far each is behind."
            actions={
              <Button
                iconName="refresh"
                ariaLabel="Read the consumers again"
                loading={isLoading}
                onClick={reload}
              />
            }
          >
            Consumers
          </Header>
        }
      />
    </SpaceBetween>
  );
}

type Column = TableProps.ColumnDefinition<Consumer>;

const WIDE: Column[] = [
  { id: 'name', header: 'Name', isRowHeader: true, minWidth: 160, cell: nameOf },
  { id: 'lag', header: 'Behind', minWidth: 160, cell: (consumer) => <Behind {...consumer} /> },
  { id: 'cursor', header: 'Cursor', minWidth: 90, cell: ({ cursor }) => countText(cursor) },
  { id: 'prefix', header: 'Prefix', minWidth: 110, cell: ({ prefix }) => prefixOf(prefix) },
  {
    id: 'time',
    header: 'Stored',
    minWidth: 140,
    cell: ({ updated_at }) => timeText(updated_at),
  },
];

const NARROW: Column[] = [
  {
    id: 'consumer',
    header: 'Consumer',
    isRowHeader: true,
    cell: (consumer) => (
      <SpaceBetween size="xxs">
        {nameOf(consumer)}
        <Behind {...consumer} />
        <Box variant="small">
          {`Cursor ${countText(consumer.cursor)}, ${timeText(consumer.updated_at)}`}
        </Box>
      </SpaceBetween>
    ),
  },
];

function nameOf({ name }: Consumer) {
  return <Text>{name}</Text>;
}

function prefixOf(prefix: string | undefined) {
  return prefix === undefined ? 'All keys' : <Text>{prefix}</Text>;
}

function Behind({ lag, lag_seconds: seconds, behind_retention: isLost }: Consumer) {
  const text = `${plural(lag, 'change')}, ${durationText(seconds)}`;
  if (isLost) {
    return (
      <StatusIndicator type="error">
        <Text>{`${text}; has to start over`}</Text>
      </StatusIndicator>
    );
  }
  if (seconds === 0) return <StatusIndicator type="success">Up to date</StatusIndicator>;
  return (
    <StatusIndicator type="pending">
      <Text>{text}</Text>
    </StatusIndicator>
  );
}
