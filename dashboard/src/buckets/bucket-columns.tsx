/** The columns of the table of buckets, and the menu of a bucket. */
import Box from '@cloudscape-design/components/box';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Link from '@cloudscape-design/components/link';
import type { TableProps } from '@cloudscape-design/components/table';
import type { Bucket } from '../api/storage';
import { countText, plural, sizeText, timeText } from '../parts/format';
import { BUCKET_PAGES, goTo, hrefOf } from '../parts/navigation';
import { Text } from '../parts/text';

type Column = TableProps.ColumnDefinition<Bucket>;

/** An action on a bucket that needs a confirmation. */
export type BucketTask = 'delete' | 'empty';

type Begin = (task: BucketTask, bucket: Bucket) => void;

export function columnsOf(isNarrow: boolean, begin: Begin): Column[] {
  const actions: Column = {
    id: 'actions',
    header: 'Actions',
    minWidth: 90,
    cell: (bucket) => <Actions bucket={bucket} begin={begin} />,
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
          <Text>{bucket.name}</Text>
        </Link>
        {isNarrow && (
          <Box variant="small" display="block">
            {plural(bucket.object_count ?? 0, 'object')}, {sizeText(bucket.total_size ?? 0)}, cursor{' '}
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
      cell: (bucket) => countText(bucket.object_count ?? 0),
    },
    {
      id: 'total_size',
      header: 'Size',
      sortingField: 'total_size',
      cell: (bucket) => sizeText(bucket.total_size ?? 0),
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

function Actions(props: { readonly bucket: Bucket; readonly begin: Begin }) {
  const { bucket, begin } = props;
  return (
    <ButtonDropdown
      variant="inline-icon"
      expandToViewport
      ariaLabel={`Actions for ${bucket.name}`}
      items={[
        { id: 'objects', text: 'Browse objects' },
        { id: 'changes', text: 'Watch changes' },
        { id: 'history', text: 'Time machine' },
        { id: 'links', text: 'Links' },
        { id: 'settings', text: 'Settings' },
        { id: 'empty', text: 'Empty' },
        { id: 'delete', text: 'Delete' },
      ]}
      onItemClick={({ detail }) => {
        const { id } = detail;
        if (id === 'delete' || id === 'empty') begin(id, bucket);
        const page = BUCKET_PAGES.find((name) => name === id);
        if (page) goTo({ page, bucket: bucket.name });
        if (detail.id === 'objects') goTo({ page: 'objects', bucket: bucket.name, prefix: '' });
      }}
    />
  );
}
