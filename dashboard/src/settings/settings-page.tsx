/** The page of a bucket's properties and lifecycle rules. */
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useCallback } from 'react';
import type { Bucket } from '../../../client/buckets';
import { BucketPath } from '../parts/bucket-path';
import { Failure } from '../parts/failure';
import { countText, sizeText, timeText } from '../parts/format';
import { Text } from '../parts/text';
import { useLoad } from '../parts/use-load';
import type { Session } from '../session/session';
import { useSession, useSignedIn } from '../session/session-context';
import { LifecycleForm } from './lifecycle-form';

export function SettingsPage({ bucket }: { readonly bucket: string }) {
  const { client } = useSession();
  const { epoch } = useSignedIn();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    (signal: AbortSignal) => client.buckets.get(bucket, { signal }),
    [client, bucket, epoch],
  );
  const { value, error, reload, replace } = useLoad(load);
  return (
    <SpaceBetween size="l">
      <BucketPath bucket={bucket} page="settings" />
      <Header variant="h1">
        <Text>Settings of {bucket}</Text>
      </Header>
      {error !== undefined && (
        <Failure what="The bucket could not be read" error={error} retry={reload} />
      )}
      {value === undefined && error === undefined && <div>Reading the bucket …</div>}
      {value && <Facts bucket={value} />}
      {value && (
        <LifecycleForm
          // The rules that were saved are the new state of the form.
          key={JSON.stringify(value.lifecycle)}
          rules={value.lifecycle ?? []}
          save={async (rules) => {
            await requireUnchanged(client, value);
            // Reading the rules again would discard what the user types before they arrive.
            replace(await client.buckets.setLifecycle(bucket, rules));
          }}
        />
      )}
    </SpaceBetween>
  );
}

/**
 * Throws when the rules differ from those that the page has read. The interface has no condition
 * for rules, so a change of somebody else between this check and the request is lost.
 */
async function requireUnchanged(client: Session['client'], shown: Bucket): Promise<void> {
  const rulesOf = ({ lifecycle = [] }: Bucket) => JSON.stringify(lifecycle);
  const current = await client.buckets.get(shown.name);
  if (rulesOf(current) !== rulesOf(shown)) {
    throw new Error(
      'Somebody else has changed the rules since this page read them. Nothing was saved: ' +
        'reload the page to see their rules.',
    );
  }
}

function Facts({ bucket }: { readonly bucket: Bucket }) {
  const { object_count: count, total_size: size, cursor, created_at: created } = bucket;
  return (
    <Container header={<Header variant="h2">Bucket</Header>}>
      <KeyValuePairs
        columns={4}
        minColumnWidth={130}
        items={[
          { label: 'Objects', value: count === undefined ? '–' : countText(count) },
          { label: 'Size', value: size === undefined ? '–' : sizeText(size) },
          { label: 'Cursor', value: countText(cursor) },
          { label: 'Created', value: timeText(created) },
        ]}
      />
    </Container>
  );
}
