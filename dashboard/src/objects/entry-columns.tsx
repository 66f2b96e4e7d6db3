/** The columns of the table of a folder. */
import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Icon from '@cloudscape-design/components/icon';
import Link from '@cloudscape-design/components/link';
import type { TableProps } from '@cloudscape-design/components/table';
import { sizeText, timeText } from '../parts/format';
import { hrefOf } from '../parts/navigation';
import { Text } from '../parts/text';
import type { Entry } from './entries';
import { EntryActions, type EntryDoing } from './entry-actions';

type Column = TableProps.ColumnDefinition<Entry>;

export function entryColumns(bucket: string, isNarrow: boolean, doing: EntryDoing): Column[] {
  const name: Column = {
    id: 'name',
    header: 'Name',
    sortingField: 'name',
    isRowHeader: true,
    minWidth: 180,
    cell: (entry) => <EntryName bucket={bucket} entry={entry} showsDetails={isNarrow} />,
  };
  const actions: Column = {
    id: 'actions',
    header: 'Actions',
    minWidth: 90,
    cell: (entry) => <EntryActions bucket={bucket} entry={entry} doing={doing} />,
  };
  if (isNarrow) return [name, actions];
  return [
    name,
    { id: 'size', header: 'Size', sortingField: 'size', minWidth: 100, cell: sizeOf },
    {
      id: 'type',
      header: 'Type',
      minWidth: 140,
      cell: (entry) => <Text>{typeOf(entry)}</Text>,
    },
    { id: 'time', header: 'Changed', sortingField: 'time', minWidth: 150, cell: timeOf },
    actions,
  ];
}

export function EntryName(props: {
  readonly bucket: string;
  readonly entry: Entry;
  readonly showsDetails: boolean;
}) {
  const { bucket, entry, showsDetails } = props;
  return (
    <>
      <Icon name={entry.kind === 'folder' ? 'folder' : 'file'} />{' '}
      <Link href={hrefOfEntry(bucket, entry)} fontSize="inherit">
        <Text>{entry.name}</Text>
      </Link>
      {entry.kind === 'deleted' && (
        <>
          {' '}
          <Badge color="grey">Deleted</Badge>
        </>
      )}
      {showsDetails && entry.kind === 'object' && (
        <Box variant="small" display="block">
          {sizeOf(entry)}, {timeOf(entry)}
        </Box>
      )}
    </>
  );
}

export function hrefOfEntry(bucket: string, entry: Entry): string {
  if (entry.kind === 'folder') return hrefOf({ page: 'objects', bucket, prefix: entry.prefix });
  const { key } = entry.kind === 'object' ? entry.object : entry.deleted;
  return hrefOf({ page: 'object', bucket, key });
}

export function sizeOf(entry: Entry): string {
  return entry.kind === 'object' ? sizeText(entry.object.size) : '';
}

function timeOf(entry: Entry): string {
  if (entry.kind === 'folder') return '';
  return timeText(entry.kind === 'object' ? entry.object.updated_at : entry.deleted.deleted_at);
}

function typeOf(entry: Entry): string {
  if (entry.kind === 'object') return entry.object.content_type;
  return entry.kind === 'folder' ? 'Folder' : '';
}
