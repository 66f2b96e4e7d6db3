/** The entries of a folder as cards, with small pictures. */
import Cards from '@cloudscape-design/components/cards';
import Icon from '@cloudscape-design/components/icon';
import type { ReactNode } from 'react';
import { shownText } from '../../../core/hidden';
import { Thumbnail } from '../preview/thumbnail';
import type { Entry } from './entries';
import { EntryActions, type EntryDoing } from './entry-actions';
import { EntryName, sizeOf } from './entry-columns';

export function EntryGrid(props: {
  readonly bucket: string;
  readonly items: readonly Entry[];
  readonly isLoading: boolean;
  readonly selected: readonly Entry[];
  readonly select: (entries: readonly Entry[]) => void;
  readonly doing: EntryDoing;
  readonly header: ReactNode;
  readonly filter: ReactNode;
  readonly empty: ReactNode;
}) {
  const { bucket, selected, doing } = props;
  return (
    <Cards
      items={props.items}
      trackBy="id"
      variant="full-page"
      stickyHeader={false}
      loading={props.isLoading}
      loadingText="Reading the objects …"
      cardsPerRow={[{ cards: 1 }, { minWidth: 360, cards: 2 }, { minWidth: 760, cards: 4 }]}
      selectionType="multi"
      selectedItems={selected}
      isItemDisabled={({ kind }) => kind === 'deleted'}
      ariaLabels={{
        itemSelectionLabel: (_, { name }) => `Select ${shownText(name)}`,
        selectionGroupLabel: 'Selection',
        cardsLabel: `Objects of ${bucket}`,
      }}
      header={props.header}
      filter={props.filter}
      empty={props.empty}
      onSelectionChange={({ detail }) => props.select(detail.selectedItems)}
      cardDefinition={{
        header: (entry) => <EntryName bucket={bucket} entry={entry} showsDetails={false} />,
        sections: [
          {
            id: 'picture',
            content: (entry) => (
              <div className="thumbnail">
                {entry.kind === 'object' ? (
                  <Thumbnail object={entry.object} />
                ) : (
                  <Icon name={entry.kind === 'folder' ? 'folder' : 'file'} size="large" />
                )}
              </div>
            ),
          },
          {
            id: 'actions',
            content: (entry) => (
              <div className="card-end">
                <span>{sizeOf(entry)}</span>
                <EntryActions bucket={bucket} entry={entry} doing={doing} />
              </div>
            ),
          },
        ],
      }}
    />
  );
}
