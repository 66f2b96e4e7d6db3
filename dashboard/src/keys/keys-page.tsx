/** The keys of the service. */
import { useCollection } from '@cloudscape-design/collection-hooks';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import TextFilter from '@cloudscape-design/components/text-filter';
import { useCallback, useState } from 'react';
import type { ApiKey } from '../api/admin';
import { allPages } from '../parts/all-pages';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { plural } from '../parts/format';
import { useLoad } from '../parts/use-load';
import { useNarrow } from '../parts/use-narrow';
import { useSession, useSignedIn } from '../session/session-context';
import { columnsOf } from './key-columns';
import { type KeyTask, KeyTasks } from './key-tasks';

const NO_KEYS: readonly ApiKey[] = [];

export function KeysPage() {
  const { admin } = useSession();
  const { epoch } = useSignedIn();
  const isNarrow = useNarrow();
  const [task, setTask] = useState<KeyTask>();
  // Another sign-in may be what was missing: read again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: epoch is what makes it read again
  const load = useCallback(
    (signal: AbortSignal) => allPages((next) => admin.keys(next, signal), signal),
    [admin, epoch],
  );
  const { value, error, isLoading, reload } = useLoad(load);
  const keys = value?.items ?? NO_KEYS;
  const { items, collectionProps, filterProps, paginationProps, filteredItemsCount } =
    useCollection(keys, {
      filtering: {
        fields: ['name', 'id', 'state', 'created_by'],
        empty: error === undefined && <NoKeys create={() => setTask({ kind: 'create' })} />,
        noMatch: <Empty title="No key fits">Change what you look for.</Empty>,
      },
      pagination: { pageSize: 25 },
      sorting: {
        defaultState: { sortingColumn: { sortingField: 'created_at' }, isDescending: true },
      },
    });

  return (
    <SpaceBetween size="m">
      {error !== undefined && (
        <Failure what="The keys could not be read" error={error} retry={reload} />
      )}
      <Table
        {...collectionProps}
        items={items}
        trackBy="id"
        variant="full-page"
        stickyHeader={!isNarrow}
        wrapLines
        loading={isLoading && value === undefined}
        loadingText="Reading the keys …"
        columnDefinitions={columnsOf(isNarrow, setTask)}
        ariaLabels={{ tableLabel: 'API keys' }}
        header={
          <Header
            variant="awsui-h1-sticky"
            counter={value && `(${value.items.length}${value.isComplete ? '' : '+'})`}
            description="Programs use the service with these. Revoking one works within seconds."
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <Button
                  iconName="refresh"
                  ariaLabel="Read the keys again"
                  loading={isLoading && value !== undefined}
                  onClick={reload}
                />
                <Button variant="primary" onClick={() => setTask({ kind: 'create' })}>
                  Create key
                </Button>
              </SpaceBetween>
            }
          >
            API keys
          </Header>
        }
        filter={
          <TextFilter
            {...filterProps}
            filteringPlaceholder="Find by name, id, state or maker"
            filteringAriaLabel="Find keys"
            countText={plural(filteredItemsCount ?? 0, 'match', 'matches')}
          />
        }
        pagination={<Pagination {...paginationProps} />}
      />
      {task && <KeyTasks task={task} setTask={setTask} reload={reload} />}
    </SpaceBetween>
  );
}

function NoKeys(props: { readonly create: () => void }) {
  return (
    <Empty title="No keys yet">
      <Box padding={{ bottom: 's' }}>A key lets a program use the service.</Box>
      <Button onClick={props.create}>Create the first key</Button>
    </Empty>
  );
}
