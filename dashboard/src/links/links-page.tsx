/** The page of the links to objects of a bucket. */
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useCallback, useState } from 'react';
import type { Link } from '../api/storage';
import { allPages } from '../parts/all-pages';
import { BucketPath } from '../parts/bucket-path';
import { CollectionPage } from '../parts/collection-page';
import { Confirmation } from '../parts/confirmation';
import { Text } from '../parts/text';
import { useLoad } from '../parts/use-load';
import { useSession, useSignedIn } from '../session/session-context';
import { columnsOf } from './link-columns';

export function LinksPage({ bucket }: { readonly bucket: string }) {
  const { storage } = useSession();
  const { epoch } = useSignedIn();
  const [toRevoke, setToRevoke] = useState<Link>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    (signal: AbortSignal) => allPages((next) => storage.links(bucket, next, signal), signal),
    [storage, bucket, epoch],
  );
  const loaded = useLoad(load);
  return (
    <SpaceBetween size="xs">
      <BucketPath bucket={bucket} page="links" />
      <CollectionPage
        title={`Links of ${bucket}`}
        description="Links that have ended are not listed. A URL is shown only when it is created."
        noun="link"
        purpose="Anyone who has a link can open its object. Create one on the page of an object."
        loaded={loaded}
        columns={(isNarrow) => columnsOf(isNarrow, setToRevoke)}
        trackBy="id"
        search={{
          fields: ['key', 'note', 'created_by'],
          placeholder: 'Key, note or creator',
        }}
        sorting={{ field: 'created_at', isDescending: true }}
        pageSize={50}
      >
        {toRevoke && (
          <Confirmation
            title="Revoke this link?"
            confirm="Revoke"
            act={async () => {
              await storage.revokeLink(toRevoke.id);
              loaded.reload();
            }}
            close={() => setToRevoke(undefined)}
          >
            The link to <Text code>{toRevoke.key}</Text> opens nothing from the next request on. Who
            has downloaded the object keeps it.
          </Confirmation>
        )}
      </CollectionPage>
    </SpaceBetween>
  );
}
