/** A page with a table of all items of a kind, searched, sorted and paged in the browser. */
import { useCollection } from '@cloudscape-design/collection-hooks';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import TextFilter from '@cloudscape-design/components/text-filter';
import type { ReactNode } from 'react';
import { Empty } from './empty';
import { Failure } from './failure';
import { plural } from './format';
import type { Loaded } from './use-load';
import { useNarrow } from './use-narrow';

interface CollectionPageProps<T> {
  readonly title: string;
  readonly description: string;
  /** The name of one item: `bucket`. */
  readonly noun: string;
  /** The purpose of an item: shown while the list is empty. */
  readonly purpose: string;
  readonly loaded: Loaded<{ readonly items: readonly T[]; readonly isComplete: boolean }>;
  readonly columns: (isNarrow: boolean) => TableProps.ColumnDefinition<T>[];
  readonly trackBy: keyof T & string;
  readonly search: { readonly fields: (keyof T & string)[]; readonly placeholder: string };
  readonly sorting: { readonly field: keyof T & string; readonly isDescending?: boolean };
  readonly pageSize: number;
  /** A filter beside the text filter. */
  readonly filter?: ReactNode;
  /** Opens the dialog that creates an item. Absent: items are created elsewhere. */
  readonly create?: () => void;
  /** The dialogs of the page. */
  readonly children: ReactNode;
}

export function CollectionPage<T>(props: CollectionPageProps<T>) {
  const { noun, create } = props;
  const isNarrow = useNarrow();
  const { value, error, isLoading, reload } = props.loaded;
  const { items, collectionProps, filterProps, paginationProps, filteredItemsCount } =
    useItems(props);
  return (
    <SpaceBetween size="m">
      {error !== undefined && (
        <Failure what={`The ${noun}s could not be read`} error={error} retry={reload} />
      )}
      <Table
        {...collectionProps}
        items={items}
        trackBy={props.trackBy}
        variant="full-page"
        stickyHeader={!isNarrow}
        wrapLines
        loading={isLoading && value === undefined}
        loadingText={`Reading the ${noun}s …`}
        columnDefinitions={props.columns(isNarrow)}
        ariaLabels={{ tableLabel: props.title }}
        header={
          <Header
            variant="awsui-h1-sticky"
            counter={value && `(${value.items.length}${value.isComplete ? '' : '+'})`}
            description={props.description}
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <Button
                  iconName="refresh"
                  ariaLabel={`Read the ${noun}s again`}
                  loading={isLoading && value !== undefined}
                  onClick={reload}
                />
                {create && (
                  <Button variant="primary" onClick={create}>
                    Create {noun}
                  </Button>
                )}
              </SpaceBetween>
            }
          >
            {props.title}
          </Header>
        }
        filter={
          <SpaceBetween direction="horizontal" size="m">
            <TextFilter
              {...filterProps}
              filteringPlaceholder={props.search.placeholder}
              filteringAriaLabel={`Find ${noun}s`}
              countText={plural(filteredItemsCount ?? 0, 'match', 'matches')}
            />
            {props.filter}
          </SpaceBetween>
        }
        pagination={paginationProps.pagesCount > 1 && <Pagination {...paginationProps} />}
      />
      {props.children}
    </SpaceBetween>
  );
}

/** The items of the current page, filtered and sorted. */
function useItems<T>(props: CollectionPageProps<T>) {
  const { noun, loaded, search, sorting } = props;
  return useCollection(loaded.value?.items ?? [], {
    filtering: {
      fields: search.fields,
      empty: loaded.error === undefined && (
        <Empty title={`No ${noun}s yet`}>
          <Box padding={{ bottom: 's' }}>{props.purpose}</Box>
          {props.create && <Button onClick={props.create}>Create the first {noun}</Button>}
        </Empty>
      ),
      noMatch: <Empty title={`No ${noun} matches`}>Change the search text.</Empty>,
    },
    pagination: { pageSize: props.pageSize },
    sorting: {
      defaultState: {
        sortingColumn: { sortingField: sorting.field },
        isDescending: sorting.isDescending ?? false,
      },
    },
  });
}
