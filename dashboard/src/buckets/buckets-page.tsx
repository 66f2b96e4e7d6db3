/** The page of the buckets. */
import { useCallback, useState } from 'react';
import type { Bucket } from '../api/storage';
import { Dock } from '../jobs/dock';
import { EmptyBucket } from '../objects/object-tasks';
import { allPages } from '../parts/all-pages';
import { CollectionPage } from '../parts/collection-page';
import { Confirmation } from '../parts/confirmation';
import { useLoad } from '../parts/use-load';
import { useSession, useSignedIn } from '../session/session-context';
import { type BucketTask, columnsOf } from './bucket-columns';
import { CreateBucket } from './create-bucket';

export function BucketsPage() {
  const { client, storage } = useSession();
  const { epoch } = useSignedIn();
  const [isCreating, setCreating] = useState(false);
  const [task, setTask] = useState<{ readonly kind: BucketTask; readonly bucket: Bucket }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    (signal: AbortSignal) => allPages((next) => storage.buckets(next, signal), signal),
    [storage, epoch],
  );
  const loaded = useLoad(load);
  const { reload } = loaded;
  const close = () => setTask(undefined);
  return (
    <CollectionPage
      title="Buckets"
      description="Counts and sizes are a few seconds late."
      noun="bucket"
      purpose="A bucket holds objects and a log of their changes."
      loaded={loaded}
      columns={(isNarrow) => columnsOf(isNarrow, (kind, bucket) => setTask({ kind, bucket }))}
      trackBy="name"
      search={{ fields: ['name'], placeholder: 'Find by name' }}
      sorting={{ field: 'name' }}
      pageSize={50}
      create={() => setCreating(true)}
    >
      {isCreating && (
        <CreateBucket
          create={async (name) => {
            await client.buckets.create(name);
            reload();
          }}
          close={() => setCreating(false)}
        />
      )}
      {task?.kind === 'empty' && <EmptyBucket bucket={task.bucket.name} close={close} />}
      {task?.kind === 'delete' && (
        <Confirmation
          title={`Delete bucket ${task.bucket.name}?`}
          confirm="Delete"
          act={async () => {
            await client.buckets.delete(task.bucket.name);
            reload();
          }}
          close={close}
        >
          Only an empty bucket can be deleted: choose Empty first. Its old versions and its change
          log are deleted with it; a new bucket of this name starts with a new log.
        </Confirmation>
      )}
      <Dock />
    </CollectionPage>
  );
}
