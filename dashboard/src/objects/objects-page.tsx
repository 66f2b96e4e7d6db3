/** The page of the objects of a bucket, folder by folder. */
import BreadcrumbGroup from '@cloudscape-design/components/breadcrumb-group';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { useEffect, useState } from 'react';
import { StowageError } from '../../../client/errors';
import { shownText } from '../../../core/hidden';
import { Dock } from '../jobs/dock';
import { Failure } from '../parts/failure';
import { MoreButton } from '../parts/more-button';
import { hrefOf } from '../parts/navigation';
import { useNarrow } from '../parts/use-narrow';
import { DropZone } from '../upload/drop-zone';
import { type Entry, folderOf, type Sorting, sorted, stepsTo } from './entries';
import { entryColumns } from './entry-columns';
import { EntryGrid } from './entry-grid';
import { FolderHeader, NoEntries, scopeText } from './folder-header';
import { ObjectTasks } from './object-tasks';
import { type Shown, Toolbar } from './toolbar';
import { useDoing } from './use-doing';
import { useDeleted, useEntries, useReloadAfterWork } from './use-entries';

const BY_NAME: Sorting = { field: 'name', isDescending: false };

export function ObjectsPage(props: { readonly bucket: string; readonly prefix: string }) {
  const { bucket, prefix } = props;
  const folder = folderOf(prefix);
  const [shown, change] = useShown(prefix);
  const wanted = { bucket, folder, text: shown.text };
  const list = useEntries(wanted);
  const deletions = useDeleted(wanted, shown.showsDeleted);
  const [chosen, setChosen] = useState<readonly Entry[]>([]);
  const reload = () => {
    list.reload();
    deletions.reload();
  };
  useReloadAfterWork(bucket, reload);
  const doing = useDoing({ bucket, folder }, reload);
  const { error, isLoading, hasMore, loadMore } = list;
  const isMissing = error instanceof StowageError && error.code === 'not_found';
  const items = [...list.items, ...deletions.items];
  // Entries that are no longer listed are not selected.
  const ids = new Set(items.map(({ id }) => id));
  const selected = chosen.filter(({ id }) => ids.has(id));
  const isEmptyBucket = folder === '' && shown.text === '';
  const parts = {
    ...{ bucket, items, doing, selected, select: setChosen },
    isLoading: isLoading && items.length === 0,
    empty: error === undefined && (
      <NoEntries bucket={isEmptyBucket ? bucket : undefined} isSearch={shown.text !== ''} />
    ),
    header: (
      <FolderHeader
        bucket={bucket}
        folder={folder}
        reload={reload}
        empty={() => doing.setTask({ kind: 'empty' })}
        scope={scopeText({ ...shown, ...list, isComplete: deletions.isComplete })}
      />
    ),
    filter: (
      <Toolbar folder={folder} shown={shown} change={change} selected={selected} doing={doing} />
    ),
    footer: <MoreButton hasMore={hasMore} isLoading={isLoading} loadMore={loadMore} />,
  };
  return (
    <DropZone bucket={bucket} folder={folder} failed={doing.setProblem}>
      <SpaceBetween size="m">
        <BreadcrumbGroup
          ariaLabel="Where this page is"
          items={[
            { text: 'Buckets', href: hrefOf({ page: 'buckets' }) },
            { text: bucket, href: hrefOf({ page: 'objects', bucket, prefix: '' }) },
            ...stepsTo(folder).map((step) => ({
              text: shownText(step.name),
              href: hrefOf({ page: 'objects', bucket, prefix: step.prefix }),
            })),
          ]}
        />
        {error !== undefined && (
          <Failure
            what="The objects could not be read"
            error={error}
            retry={items.length === 0 ? reload : loadMore}
          />
        )}
        {deletions.error !== undefined && (
          <Failure what="The deletions could not be read" error={deletions.error} retry={reload} />
        )}
        {doing.problem !== undefined && <Failure what="That failed" error={doing.problem} />}
        {isMissing && <Header variant="h1">{bucket}</Header>}
        {!isMissing && (shown.view === 'grid' ? <Grid {...parts} /> : <EntryTable {...parts} />)}
        {doing.task && (
          <ObjectTasks bucket={bucket} task={doing.task} changed={reload} close={doing.close} />
        )}
      </SpaceBetween>
      <Dock />
    </DropZone>
  );
}

type GridProps = Parameters<typeof EntryGrid>[0] & { readonly footer: React.ReactNode };

function Grid({ footer, ...parts }: GridProps) {
  return (
    <>
      <EntryGrid {...parts} items={sorted(parts.items, BY_NAME)} />
      {footer}
    </>
  );
}

function EntryTable(props: GridProps) {
  const { bucket, doing } = props;
  const isNarrow = useNarrow();
  const [sorting, setSorting] = useState(BY_NAME);
  return (
    <Table
      items={sorted(props.items, sorting)}
      trackBy="id"
      variant="full-page"
      stickyHeader={false}
      wrapLines
      loading={props.isLoading}
      loadingText="Reading the objects …"
      columnDefinitions={entryColumns(bucket, isNarrow, doing)}
      sortingColumn={{ sortingField: sorting.field }}
      sortingDescending={sorting.isDescending}
      onSortingChange={({ detail }) =>
        setSorting({
          field: (detail.sortingColumn.sortingField ?? 'name') as Sorting['field'],
          isDescending: detail.isDescending ?? false,
        })
      }
      selectionType="multi"
      selectedItems={props.selected}
      isItemDisabled={({ kind }) => kind === 'deleted'}
      onSelectionChange={({ detail }) => props.select(detail.selectedItems)}
      ariaLabels={{
        tableLabel: `Objects of ${bucket}`,
        selectionGroupLabel: 'Selection',
        allItemsSelectionLabel: () => 'Select all that are listed',
        itemSelectionLabel: (_, { name }) => `Select ${shownText(name)}`,
      }}
      empty={props.empty}
      header={props.header}
      filter={props.filter}
      footer={props.footer}
    />
  );
}

const VIEW = 'stowage-view';

/** The state of the toolbar. The view, table or grid, is remembered between visits. */
function useShown(prefix: string): [Shown, (change: Partial<Shown>) => void] {
  const [shown, setShown] = useState<Shown>(() => ({
    text: searchIn(prefix),
    view: localStorage.getItem(VIEW) === 'grid' ? 'grid' : 'list',
    showsDeleted: false,
  }));
  // The search text belongs to the previous folder or address.
  useEffect(() => setShown((before) => ({ ...before, text: searchIn(prefix) })), [prefix]);
  const change = (changed: Partial<Shown>) => {
    if (changed.view) localStorage.setItem(VIEW, changed.view);
    setShown({ ...shown, ...changed });
  };
  return [shown, change];
}

/** Returns the part of the prefix after its folder. */
function searchIn(prefix: string): string {
  return prefix.slice(folderOf(prefix).length);
}
