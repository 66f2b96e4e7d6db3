/** The columns of the table of buckets, and what can be done with each bucket. */
import Box from '@cloudscape-design/components/box';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Link from '@cloudscape-design/components/link';
import type { TableProps } from '@cloudscape-design/components/table';
import type { Bucket } from '../api/storage';
import { goTo, hrefOf } from '../navigation';
import { countText, plural, sizeText, timeText } from '../parts/format';

type Column = TableProps.ColumnDefinition<Bucket>;

export function columnsOf(isNarrow: boolean, remove: (bucket: Bucket) => void): Column[] {
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

function Actions(props: { readonly bucket: Bucket; readonly remove: (bucket: Bucket) => void }) {
  const { bucket, remove } = props;
  return (
    <ButtonDropdown
      variant="inline-icon"
      expandToViewport
      ariaLabel={`Actions for ${bucket.name}`}
      items={[
        { id: 'objects', text: 'Browse objects' },
        { id: 'changes', text: 'Watch changes' },
        { id: 'links', text: 'Links' },
        { id: 'delete', text: 'Delete' },
      ]}
      onItemClick={({ detail }) => {
        if (detail.id === 'delete') remove(bucket);
        const { id } = detail;
        if (id === 'changes' || id === 'links') goTo({ page: id, bucket: bucket.name });
        if (detail.id === 'objects') goTo({ page: 'objects', bucket: bucket.name, prefix: '' });
      }}
    />
  );
}
