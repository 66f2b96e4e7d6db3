/** The objects of a bucket as they were at a cursor. */
import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useCallback } from 'react';
import type { ObjectDescriptor } from '../../../client/resources';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { countText, sizeText, timeText } from '../parts/format';
import { MoreButton } from '../parts/more-button';
import { Text } from '../parts/text';
import { useNarrow } from '../parts/use-narrow';
import { usePages } from '../parts/use-pages';
import { useSession } from '../session/session-context';
import { objectsAt } from './past';

export function PastObjects(props: {
  readonly bucket: string;
  readonly asOf: number;
  readonly prefix: string;
}) {
  const { bucket, asOf, prefix } = props;
  const session = useSession();
  const isNarrow = useNarrow();
  const read = useCallback(
    (next: string | undefined, signal?: AbortSignal) =>
      objectsAt(session, bucket, { asOf, prefix, next }, signal),
    [session, bucket, asOf, prefix],
  );
  const { items, error, isLoading, hasMore, loadMore, reload } = usePages(read);
  return (
    <SpaceBetween size="m">
      {error !== undefined && (
        <Failure what="The objects could not be read" error={error} retry={reload} />
      )}
      <Table
        items={items}
        trackBy="key"
        wrapLines
        loading={isLoading && items.length === 0}
        loadingText="Reading the objects …"
        ariaLabels={{ tableLabel: `Objects at cursor ${asOf}` }}
        columnDefinitions={isNarrow ? NARROW : WIDE}
        empty={
          error === undefined && (
            <Empty title="No objects">There was none of these keys at this cursor.</Empty>
          )
        }
        footer={<MoreButton hasMore={hasMore} isLoading={isLoading} loadMore={loadMore} />}
      />
    </SpaceBetween>
  );
}

type Column = TableProps.ColumnDefinition<ObjectDescriptor>;

const keyOf = ({ key }: ObjectDescriptor) => <Text>{key}</Text>;

const WIDE: Column[] = [
  { id: 'key', header: 'Key', isRowHeader: true, minWidth: 200, cell: keyOf },
  { id: 'version', header: 'Version', minWidth: 80, cell: ({ version }) => countText(version) },
  { id: 'size', header: 'Size', minWidth: 90, cell: ({ size }) => sizeText(size) },
  {
    id: 'time',
    header: 'Written',
    minWidth: 140,
    cell: ({ updated_at: time }) => timeText(time),
  },
];

const NARROW: Column[] = [
  {
    id: 'object',
    header: 'Object',
    isRowHeader: true,
    cell: (object) => (
      <>
        {keyOf(object)}
        <Box variant="small" display="block">
          Version {countText(object.version)}, {sizeText(object.size)},{' '}
          {timeText(object.updated_at)}
        </Box>
      </>
    ),
  },
];
