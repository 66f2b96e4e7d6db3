/** The bar above the list of a folder: search, view, deleted objects, and the selection. */
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Input from '@cloudscape-design/components/input';
import Toggle from '@cloudscape-design/components/toggle';
import { shownText } from '../../../core/hidden';
import type { Entry } from './entries';
import type { EntryDoing } from './entry-actions';

export type View = 'list' | 'grid';

export interface Shown {
  readonly text: string;
  readonly view: View;
  readonly showsDeleted: boolean;
}

export function Toolbar(props: {
  readonly folder: string;
  readonly shown: Shown;
  readonly change: (change: Partial<Shown>) => void;
  readonly selected: readonly Entry[];
  readonly doing: EntryDoing;
}) {
  const { folder, shown, change, selected, doing } = props;
  const act = (id: string) => {
    if (id === 'zip') doing.zip(selected);
    if (id === 'move' || id === 'copy' || id === 'delete') {
      doing.setTask({ kind: id, entries: selected });
    }
  };
  return (
    <div className="toolbar">
      <div className="toolbar-search">
        <Input
          type="search"
          value={shown.text}
          placeholder={`Find in ${folder === '' ? 'the bucket' : shownText(folder)}`}
          ariaLabel="Find objects by part of their name, in this folder and below it"
          onChange={({ detail }) => change({ text: detail.value })}
        />
      </div>
      <Toggle
        checked={shown.showsDeleted}
        onChange={({ detail }) => change({ showsDeleted: detail.checked })}
      >
        Show deleted
      </Toggle>
      <Toggle
        checked={shown.view === 'grid'}
        onChange={({ detail }) => change({ view: detail.checked ? 'grid' : 'list' })}
      >
        Grid
      </Toggle>
      <ButtonDropdown
        disabled={selected.length === 0}
        disabledReason="Select objects or folders first."
        expandToViewport
        items={[
          { id: 'zip', text: 'Download as zip' },
          { id: 'move', text: 'Move' },
          { id: 'copy', text: 'Copy' },
          { id: 'delete', text: 'Delete' },
        ]}
        onItemClick={({ detail }) => act(detail.id)}
      >
        {selected.length === 0 ? 'Selection' : `${selected.length} selected`}
      </ButtonDropdown>
    </div>
  );
}
