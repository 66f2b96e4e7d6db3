/** The menu of an object, a folder, or a deleted object. */
import ButtonDropdown, {
  type ButtonDropdownProps,
} from '@cloudscape-design/components/button-dropdown';
import { shownText } from '../../../core/hidden';
import { goTo } from '../parts/navigation';
import type { DeletedEntry, Entry } from './entries';
import type { ObjectTask } from './object-tasks';

export interface EntryDoing {
  readonly setTask: (task: ObjectTask) => void;
  readonly save: (key: string) => void;
  readonly zip: (entries: readonly Entry[]) => void;
  readonly undelete: (entry: DeletedEntry) => void;
}

const RELOCATE: readonly ButtonDropdownProps.Item[] = [
  { id: 'rename', text: 'Rename' },
  { id: 'move', text: 'Move' },
  { id: 'copy', text: 'Copy' },
];

const ITEMS: Readonly<Record<Entry['kind'], readonly ButtonDropdownProps.Item[]>> = {
  object: [
    { id: 'download', text: 'Download' },
    { id: 'link', text: 'Create a link' },
    { id: 'details', text: 'Details and versions' },
    { id: 'edit', text: 'Edit metadata' },
    ...RELOCATE,
    { id: 'delete', text: 'Delete' },
  ],
  folder: [{ id: 'zip', text: 'Download as zip' }, ...RELOCATE, { id: 'delete', text: 'Delete' }],
  deleted: [
    { id: 'undelete', text: 'Undelete' },
    { id: 'details', text: 'Versions' },
  ],
};

export function EntryActions(props: {
  readonly bucket: string;
  readonly entry: Entry;
  readonly doing: EntryDoing;
}) {
  const { bucket, entry, doing } = props;
  const { setTask } = doing;
  const entries = [entry];
  const act = (id: string) => {
    switch (id) {
      case 'zip':
        return doing.zip(entries);
      case 'move':
      case 'copy':
      case 'delete':
        return setTask({ kind: id, entries });
    }
    if (entry.kind !== 'deleted' && id === 'rename') return setTask({ kind: id, entry });
    if (entry.kind === 'deleted' && id === 'undelete') return doing.undelete(entry);
    if (entry.kind === 'folder') return;
    const { key } = entry.kind === 'object' ? entry.object : entry.deleted;
    if (id === 'download') doing.save(key);
    if (id === 'details') goTo({ page: 'object', bucket, key });
    if (id === 'link' || id === 'edit') setTask({ kind: id, key });
  };
  return (
    <ButtonDropdown
      variant="inline-icon"
      expandToViewport
      ariaLabel={`Actions for ${shownText(entry.name)}`}
      items={ITEMS[entry.kind]}
      onItemClick={({ detail }) => act(detail.id)}
    />
  );
}
