/** The page of the API keys. */
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import { useCallback, useState } from 'react';
import type { ApiKey } from '../api/admin';
import { allPages } from '../parts/all-pages';
import { CollectionPage } from '../parts/collection-page';
import { useLoad } from '../parts/use-load';
import { useSession, useSignedIn } from '../session/session-context';
import { columnsOf } from './key-columns';
import { type KeyTask, KeyTasks } from './key-tasks';

export function KeysPage() {
  const { admin } = useSession();
  const { epoch } = useSignedIn();
  const [task, setTask] = useState<KeyTask>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    (signal: AbortSignal) => allPages((next) => admin.keys(next, signal), signal),
    [admin, epoch],
  );
  const all = useLoad(load);
  const [shows, setShows] = useState<'active' | 'all'>('active');
  const isShown = ({ state }: ApiKey) => shows === 'all' || state === 'active';
  const loaded = {
    ...all,
    value: all.value && { ...all.value, items: all.value.items.filter(isShown) },
  };
  return (
    <CollectionPage
      title="API keys"
      description="Programs use the service with these. Revoking one takes effect within seconds."
      noun="key"
      purpose="A key lets a program use the service."
      loaded={loaded}
      columns={(isNarrow) => columnsOf(isNarrow, setTask)}
      trackBy="id"
      search={{
        fields: ['name', 'id', 'state', 'created_by'],
        placeholder: 'Name, id, state or creator',
      }}
      sorting={{ field: 'created_at', isDescending: true }}
      pageSize={25}
      filter={
        <SegmentedControl
          label="Which keys"
          selectedId={shows}
          options={[
            { id: 'active', text: 'Active' },
            { id: 'all', text: 'All' },
          ]}
          onChange={({ detail }) => setShows(detail.selectedId === 'all' ? 'all' : 'active')}
        />
      }
      create={() => setTask({ kind: 'create' })}
    >
      {task && <KeyTasks task={task} setTask={setTask} reload={loaded.reload} />}
    </CollectionPage>
  );
}
