/** The columns of the table of a folder. */
import Box from '@cloudscape-design/components/box';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Icon from '@cloudscape-design/components/icon';
import Link from '@cloudscape-design/components/link';
import type { TableProps } from '@cloudscape-design/components/table';
import { goTo, hrefOf } from '../navigation';
import { sizeText, timeText } from '../parts/format';
import type { Entry } from './entries';
import type { ObjectTask } from './object-tasks';

type Column = TableProps.ColumnDefinition<Entry>;

interface Doing {
  readonly setTask: (task: ObjectTask) => void;
  readonly save: (key: string) => void;
}

export function entryColumns(bucket: string, isNarrow: boolean, doing: Doing): Column[] {
  const name: Column = {
    id: 'name',
    header: 'Name',
    isRowHeader: true,
    minWidth: 200,
    cell: (entry) => <Name bucket={bucket} entry={entry} isNarrow={isNarrow} />,
  };
  const actions: Column = {
    id: 'actions',
    header: 'Actions',
    minWidth: 90,
    cell: (entry) =>
      entry.kind === 'object' && <Actions bucket={bucket} entry={entry} doing={doing} />,
  };
  if (isNarrow) return [name, actions];
  return [
    name,
    {
      id: 'size',
      header: 'Size',
      minWidth: 100,
      cell: (entry) => (entry.kind === 'object' ? sizeText(entry.object.size) : ''),
    },
    {
      id: 'type',
      header: 'Type',
      minWidth: 140,
      cell: (entry) =>
        entry.kind === 'object' ? (
          <span className="text">{entry.object.content_type}</span>
        ) : (
          'Folder'
        ),
    },
    {
      id: 'updated_at',
      header: 'Changed',
      minWidth: 150,
      cell: (entry) => (entry.kind === 'object' ? timeText(entry.object.updated_at) : ''),
    },
    actions,
  ];
}

function Name(props: {
  readonly bucket: string;
  readonly entry: Entry;
  readonly isNarrow: boolean;
}) {
  const { bucket, entry } = props;
  const isFolder = entry.kind === 'folder';
  const href = isFolder
    ? hrefOf({ page: 'objects', bucket, prefix: entry.prefix })
    : hrefOf({ page: 'object', bucket, key: entry.object.key });
  return (
    <>
      <Icon name={isFolder ? 'folder' : 'file'} />{' '}
      <Link href={href}>
        <span className="text">{entry.name}</span>
      </Link>
      {props.isNarrow && entry.kind === 'object' && (
        <Box variant="small" display="block">
          {sizeText(entry.object.size)}, {timeText(entry.object.updated_at)}
        </Box>
      )}
    </>
  );
}

function Actions(props: {
  readonly bucket: string;
  readonly entry: Extract<Entry, { kind: 'object' }>;
  readonly doing: Doing;
}) {
  const { bucket, entry, doing } = props;
  const { key } = entry.object;
  return (
    <ButtonDropdown
      variant="inline-icon"
      expandToViewport
      ariaLabel={`Actions for ${entry.name}`}
      items={[
        { id: 'download', text: 'Download' },
        { id: 'link', text: 'Create a link' },
        { id: 'details', text: 'Details and versions' },
        { id: 'delete', text: 'Delete' },
      ]}
      onItemClick={({ detail: { id } }) => {
        if (id === 'download') doing.save(key);
        if (id === 'details') goTo({ page: 'object', bucket, key });
        if (id === 'link' || id === 'delete') doing.setTask({ kind: id, key });
      }}
    />
  );
}
