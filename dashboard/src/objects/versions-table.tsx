/** The versions of an object and its deletions, newest first. */
import Badge from '@cloudscape-design/components/badge';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useCallback, useState } from 'react';
import type { StowageClient } from '../../../client/client';
import { StowageError } from '../../../client/errors';
import type { ObjectVersion } from '../../../client/resources';
import type { Page } from '../api/client';
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
  const { client } = useSession();
  const [busy, setBusy] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const read = useCallback(
    (next: string | undefined, signal?: AbortSignal) =>
      versionsPage(client, { bucket, key }, next, signal),
    [client, bucket, key],
  );
  const { items, error, isLoading, hasMore, loadMore, reload } = usePages(read);
  const act = async (name: string, work: () => Promise<void>) => {
    setBusy(name);
    setProblem(undefined);
    await work().catch(setProblem);
    setBusy(undefined);
  };
  const save = (version: number) =>
    act(`save ${version}`, () => downloadVersion(client, bucket, key, version));
  const makeCurrent = (version: number) =>
    act(`restore ${version}`, async () => {
      await client.copy(bucket, key, { key, version });
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
        columnDefinitions={columnsOf({ newest, busy, save, makeCurrent })}
        footer={<MoreButton hasMore={hasMore} isLoading={isLoading} loadMore={loadMore} />}
      />
    </SpaceBetween>
  );
}

interface VersionDoing {
  /** The number of the newest version. */
  readonly newest: number | undefined;
  /** The action that is running. */
  readonly busy: string | undefined;
  readonly save: (version: number) => Promise<void>;
  readonly makeCurrent: (version: number) => Promise<void>;
}

function columnsOf(doing: VersionDoing): TableProps.ColumnDefinition<ObjectVersion>[] {
  const { newest, busy, save, makeCurrent } = doing;
  return [
    {
      id: 'version',
      header: 'Version',
      isRowHeader: true,
      cell: ({ version, type }) => (
        <>
          {version} {version === newest && type === 'put' && <Badge color="green">Current</Badge>}
        </>
      ),
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
  ];
}

/** Reads a page of the versions; empty when none is stored. */
async function versionsPage(
  client: StowageClient,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  next: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Page<ObjectVersion>> {
  const before = next === undefined ? undefined : Number(next);
  try {
    const page = await client.versions(bucket, key, { limit: 50, before, signal });
    return { items: page.versions, next: page.next_before?.toString() };
  } catch (error) {
    if (error instanceof StowageError && error.code === 'not_found') return { items: [] };
    throw error;
  }
}
