/** The versions of an object and its deletions, newest first. */
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { useCallback, useState } from 'react';
import { StowageError } from '../../../client/errors';
import type { ObjectVersion } from '../../../client/resources';
import type { StorageApi } from '../api/storage';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { sizeText, timeText } from '../parts/format';
import { MoreButton } from '../parts/more-button';
import { usePages } from '../parts/use-pages';
import { useSession } from '../session/session-context';
import { downloadVersion } from './download';

export function VersionsTable(props: {
  readonly bucket: string;
  readonly objectKey: string;
  /** Called when an older version was made the current one. */
  readonly changed: () => void;
}) {
  const { bucket, objectKey: key, changed } = props;
  const { storage } = useSession();
  const [busy, setBusy] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const read = useCallback(
    (next: string | undefined, signal?: AbortSignal) =>
      versionsPage(storage, { bucket, key }, next, signal),
    [storage, bucket, key],
  );
  const { items, error, isLoading, hasMore, loadMore, reload } = usePages(read);
  const act = async (name: string, work: () => Promise<void>) => {
    setBusy(name);
    setProblem(undefined);
    await work().catch(setProblem);
    setBusy(undefined);
  };
  const save = (version: number) =>
    act(`save ${version}`, () => downloadVersion(storage, bucket, key, version));
  const makeCurrent = (version: number) =>
    act(`restore ${version}`, async () => {
      await storage.makeCurrent(bucket, key, version);
      reload();
      changed();
    });
  const newest = items[0]?.version;
  return (
    <SpaceBetween size="m">
      {error !== undefined && (
        <Failure
          what="The versions could not be read"
          error={error}
          retry={items.length === 0 ? reload : loadMore}
        />
      )}
      {problem !== undefined && <Failure what="The action failed" error={problem} />}
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
            cell: ({ version }) => (version === newest ? `${version}, the newest` : version),
          },
          {
            id: 'size',
            header: 'Size',
            cell: ({ type, size = 0 }) => (type === 'delete' ? 'Deleted' : sizeText(size)),
          },
          { id: 'time', header: 'Changed', cell: ({ at }) => timeText(at) },
          { id: 'by', header: 'By the key', cell: ({ by }) => by ?? '–' },
          {
            id: 'actions',
            header: 'Actions',
            cell: ({ version, type }) =>
              type === 'put' && (
                <SpaceBetween direction="horizontal" size="xs">
                  <Button
                    variant="inline-icon"
                    iconName="download"
                    loading={busy === `save ${version}`}
                    ariaLabel={`Download version ${version}`}
                    onClick={() => void save(version)}
                  />
                  {version !== newest && (
                    <Button
                      variant="inline-icon"
                      iconName="undo"
                      loading={busy === `restore ${version}`}
                      ariaLabel={`Make version ${version} the current one`}
                      onClick={() => void makeCurrent(version)}
                    />
                  )}
                </SpaceBetween>
              ),
          },
        ]}
        footer={<MoreButton hasMore={hasMore} isLoading={isLoading} loadMore={loadMore} />}
      />
    </SpaceBetween>
  );
}

/** A page of the versions; empty when none is stored. */
async function versionsPage(
  storage: StorageApi,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  next: string | undefined,
  signal: AbortSignal | undefined,
): Promise<{ readonly items: readonly ObjectVersion[]; readonly next?: string }> {
  return storage.versions(bucket, key, next, signal).catch((error: unknown) => {
    if (error instanceof StowageError && error.code === 'not_found') return { items: [] };
    throw error;
  });
}
