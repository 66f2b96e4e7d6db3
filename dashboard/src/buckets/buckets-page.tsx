/** The page of the buckets. */
import { useCallback, useState } from 'react';
import type { Bucket } from '../api/storage';
import { allPages } from '../parts/all-pages';
import { CollectionPage } from '../parts/collection-page';
import { Confirmation } from '../parts/confirmation';
import { useLoad } from '../parts/use-load';
import { useSession, useSignedIn } from '../session/session-context';
import { columnsOf } from './bucket-columns';
import { CreateBucket } from './create-bucket';

export function BucketsPage() {
  const { storage } = useSession();
  const { epoch } = useSignedIn();
  const [isCreating, setCreating] = useState(false);
  const [toDelete, setToDelete] = useState<Bucket>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    (signal: AbortSignal) => allPages((next) => storage.buckets(next, signal), signal),
    [storage, epoch],
  );
  const loaded = useLoad(load);
  const { reload } = loaded;
  return (
    <CollectionPage
      title="Buckets"
      description="Counts and sizes are a few seconds late."
      noun="bucket"
      purpose="A bucket holds objects and a log of their changes."
      loaded={loaded}
      columns={(isNarrow) => columnsOf(isNarrow, setToDelete)}
      trackBy="name"
      search={{ fields: ['name'], placeholder: 'Find by name' }}
      sorting={{ field: 'name' }}
      pageSize={50}
      create={() => setCreating(true)}
    >
      {isCreating && (
        <CreateBucket
          create={async (name) => {
            await storage.createBucket(name);
            reload();
          }}
          close={() => setCreating(false)}
        />
      )}
      {toDelete && (
        <Confirmation
          title={`Delete bucket ${toDelete.name}?`}
          confirm="Delete"
          act={async () => {
            await storage.deleteBucket(toDelete.name);
            reload();
          }}
          close={() => setToDelete(undefined)}
        >
          Only an empty bucket can be deleted. Its old versions and its change log are deleted with
          it; a new bucket of this name starts with a new log.
        </Confirmation>
      )}
    </CollectionPage>
  );
}
