/** The buckets of the service, and what they hold. */
import { useCollection } from '@cloudscape-design/collection-hooks';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import TextFilter from '@cloudscape-design/components/text-filter';
import { useCallback, useState } from 'react';
import type { Bucket } from '../api/storage';
import { goTo, hrefOf } from '../navigation';
import { allPages } from '../parts/all-pages';
import { Confirmation } from '../parts/confirmation';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { countText, plural, sizeText, timeText } from '../parts/format';
import { useLoad } from '../parts/use-load';
import { useNarrow } from '../parts/use-narrow';
import { useSession, useSignedIn } from '../session/session-context';
import { CreateBucket } from './create-bucket';

const NO_BUCKETS: readonly Bucket[] = [];

export function BucketsPage() {
  const { storage } = useSession();
  const { epoch } = useSignedIn();
  const isNarrow = useNarrow();
  const [isCreating, setCreating] = useState(false);
  const [leaving, setLeaving] = useState<Bucket>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another sign-in may be what was missing
  const load = useCallback(
    (signal: AbortSignal) => allPages((next) => storage.buckets(next, signal), signal),
    [storage, epoch],
  );
  const { value, error, isLoading, reload } = useLoad(load);
  const { items, collectionProps, filterProps, paginationProps, filteredItemsCount } =
    useCollection(value?.items ?? NO_BUCKETS, {
      filtering: {
        fields: ['name'],
        empty: error === undefined && <NoBuckets create={() => setCreating(true)} />,
        noMatch: <Empty title="No bucket fits">Change what you look for.</Empty>,
      },
      pagination: { pageSize: 50 },
      sorting: { defaultState: { sortingColumn: { sortingField: 'name' } } },
    });
  return (
    <SpaceBetween size="m">
      {error !== undefined && (
        <Failure what="The buckets could not be read" error={error} retry={reload} />
      )}
      <Table
        {...collectionProps}
        items={items}
        trackBy="name"
        variant="full-page"
        stickyHeader={!isNarrow}
        wrapLines
        loading={isLoading && value === undefined}
        loadingText="Reading the buckets …"
        columnDefinitions={columnsOf(isNarrow, setLeaving)}
        ariaLabels={{ tableLabel: 'Buckets' }}
        header={
          <Header
            variant="awsui-h1-sticky"
            counter={value && `(${value.items.length}${value.isComplete ? '' : '+'})`}
            description="Counts and sizes are a few seconds late."
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <Button
                  iconName="refresh"
                  ariaLabel="Read the buckets again"
                  loading={isLoading && value !== undefined}
                  onClick={reload}
                />
                <Button variant="primary" onClick={() => setCreating(true)}>
                  Create bucket
                </Button>
              </SpaceBetween>
            }
          >
            Buckets
          </Header>
        }
        filter={
          <TextFilter
            {...filterProps}
            filteringPlaceholder="Find by name"
            filteringAriaLabel="Find buckets"
            countText={plural(filteredItemsCount ?? 0, 'match', 'matches')}
          />
        }
        pagination={<Pagination {...paginationProps} />}
      />
      {isCreating && (
        <CreateBucket
          create={async (name) => {
            await storage.createBucket(name);
            reload();
          }}
          close={() => setCreating(false)}
        />
      )}
      {leaving && (
        <Confirmation
          title={`Delete bucket ${leaving.name}?`}
          confirm="Delete"
          act={async () => {
            await storage.deleteBucket(leaving.name);
            reload();
          }}
          close={() => setLeaving(undefined)}
        >
          Only an empty bucket can be deleted. Old versions and the history of its changes go with
          it; a new bucket of this name begins anew.
        </Confirmation>
      )}
    </SpaceBetween>
  );
}

function NoBuckets(props: { readonly create: () => void }) {
  return (
    <Empty title="No buckets yet">
      <Box padding={{ bottom: 's' }}>A bucket holds objects, and tells what changes.</Box>
      <Button onClick={props.create}>Create the first bucket</Button>
    </Empty>
  );
}

type Column = TableProps.ColumnDefinition<Bucket>;

function columnsOf(isNarrow: boolean, remove: (bucket: Bucket) => void): Column[] {
  const actions: Column = {
    id: 'actions',
    header: 'Actions',
    minWidth: 90,
    cell: (bucket) => <Actions bucket={bucket} remove={remove} />,
  };
  const name: Column = {
    id: 'name',
    header: 'Name',
    sortingField: 'name',
    isRowHeader: true,
    minWidth: 160,
    cell: (bucket) => (
      <>
        <Link href={hrefOf({ page: 'objects', bucket: bucket.name, prefix: '' })}>
          <span className="text">{bucket.name}</span>
        </Link>
        {isNarrow && (
          <Box variant="small" display="block">
            {plural(bucket.object_count, 'object')}, {sizeText(bucket.total_size)}, cursor{' '}
            {countText(bucket.cursor)}
          </Box>
        )}
      </>
    ),
  };
  if (isNarrow) return [name, actions];
  return [
    name,
    {
      id: 'object_count',
      header: 'Objects',
      sortingField: 'object_count',
      cell: (bucket) => countText(bucket.object_count),
    },
    {
      id: 'total_size',
      header: 'Size',
      sortingField: 'total_size',
      cell: (bucket) => sizeText(bucket.total_size),
    },
    {
      id: 'cursor',
      header: 'Cursor',
      sortingField: 'cursor',
      cell: (bucket) => countText(bucket.cursor),
    },
    {
      id: 'created_at',
      header: 'Created',
      sortingField: 'created_at',
      cell: (bucket) => timeText(bucket.created_at),
    },
    actions,
  ];
}

function Actions(props: { readonly bucket: Bucket; readonly remove: (bucket: Bucket) => void }) {
  const { bucket, remove } = props;
  return (
    <ButtonDropdown
      variant="inline-icon"
      expandToViewport
      ariaLabel={`What to do with ${bucket.name}`}
      items={[
        { id: 'objects', text: 'Browse objects' },
        { id: 'changes', text: 'Watch changes' },
        { id: 'delete', text: 'Delete' },
      ]}
      onItemClick={({ detail }) => {
        if (detail.id === 'delete') remove(bucket);
        if (detail.id === 'changes') goTo({ page: 'changes', bucket: bucket.name });
        if (detail.id === 'objects') goTo({ page: 'objects', bucket: bucket.name, prefix: '' });
      }}
    />
  );
}
