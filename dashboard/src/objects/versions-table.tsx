/** The versions of an object, newest first. */
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { useCallback, useState } from 'react';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { sizeText, timeText } from '../parts/format';
import { MoreButton } from '../parts/more-button';
import { usePages } from '../parts/use-pages';
import { useSession } from '../session/session-context';
import { downloadVersion } from './download';
import { versionsPage } from './versions';

export function VersionsTable(props: {
  readonly bucket: string;
  readonly objectKey: string;
  readonly newest: number;
}) {
  const { bucket, objectKey: key, newest } = props;
  const { storage } = useSession();
  const [busy, setBusy] = useState<number>();
  const [problem, setProblem] = useState<unknown>();
  const read = useCallback(
    (next: string | undefined, signal?: AbortSignal) =>
      versionsPage((version) => storage.describe(bucket, key, { version, signal }), newest, next),
    [storage, bucket, key, newest],
  );
  const { items, error, isLoading, hasMore, loadMore, reload } = usePages(read);
  const save = async (version: number) => {
    setBusy(version);
    setProblem(undefined);
    await downloadVersion(storage, bucket, key, version).catch(setProblem);
    setBusy(undefined);
  };
  return (
    <SpaceBetween size="m">
      {error !== undefined && (
        <Failure
          what="The versions could not be read"
          error={error}
          retry={items.length === 0 ? reload : loadMore}
        />
      )}
      {problem !== undefined && <Failure what="The version could not be read" error={problem} />}
      <Table
        items={items}
        trackBy={({ version }) => String(version)}
        wrapLines
        loading={isLoading && items.length === 0}
        loadingText="Reading versions …"
        ariaLabels={{ tableLabel: 'Versions' }}
        empty={<Empty title="No version is stored" />}
        header={
          <Header variant="h2" description="As long as the deployment's retention keeps them.">
            Versions
          </Header>
        }
        columnDefinitions={[
          {
            id: 'version',
            header: 'Version',
            isRowHeader: true,
            cell: ({ version }) => version,
          },
          { id: 'size', header: 'Size', cell: ({ size }) => sizeText(size) },
          { id: 'time', header: 'Written', cell: ({ updated_at }) => timeText(updated_at) },
          {
            id: 'actions',
            header: 'Actions',
            cell: ({ version }) => (
              <Button
                variant="inline-icon"
                iconName="download"
                loading={busy === version}
                ariaLabel={`Download version ${version}`}
                onClick={() => void save(version)}
              />
            ),
          },
        ]}
        footer={<MoreButton hasMore={hasMore} isLoading={isLoading} loadMore={loadMore} />}
      />
    </SpaceBetween>
  );
}
