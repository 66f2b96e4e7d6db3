/** The page of the objects of a bucket, folder by folder. */
import BreadcrumbGroup from '@cloudscape-design/components/breadcrumb-group';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { useCallback, useEffect, useState } from 'react';
import { StowageError } from '../../../client/errors';
import type { Page } from '../api/client';
import { hrefOf } from '../navigation';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { MoreButton } from '../parts/more-button';
import { useNarrow } from '../parts/use-narrow';
import { usePages } from '../parts/use-pages';
import { useSession, useSignedIn } from '../session/session-context';
import { DropZone } from '../upload/drop-zone';
import { UploadPanel } from '../upload/upload-panel';
import { useUploads } from '../upload/use-uploads';
import { download } from './download';
import { type Entry, entriesOf, folderOf, stepsTo } from './entries';
import { entryColumns } from './entry-columns';
import { type ObjectTask, ObjectTasks } from './object-tasks';

export function ObjectsPage(props: { readonly bucket: string; readonly prefix: string }) {
  const { bucket, prefix } = props;
  const { storage } = useSession();
  const isNarrow = useNarrow();
  const folder = folderOf(prefix);
  const [search, setSearch] = useState(prefix.slice(folder.length));
  const [task, setTask] = useState<ObjectTask>();
  const [problem, setProblem] = useState<unknown>();
  // The search text belongs to the previous folder or address.
  useEffect(() => setSearch(prefix.slice(folderOf(prefix).length)), [prefix]);
  const { items, error, isLoading, hasMore, loadMore, reload } = useEntries(bucket, folder, search);
  useReloadAfterUploads(bucket, reload);
  const isMissing = error instanceof StowageError && error.code === 'not_found';

  const save = (key: string) => {
    setProblem(undefined);
    download(storage, bucket, key).catch(setProblem);
  };
  return (
    <DropZone bucket={bucket} folder={folder}>
      <SpaceBetween size="m">
        <BreadcrumbGroup
          ariaLabel="Where this page is"
          items={[
            { text: 'Buckets', href: hrefOf({ page: 'buckets' }) },
            { text: bucket, href: hrefOf({ page: 'objects', bucket, prefix: '' }) },
            ...stepsTo(folder).map((step) => ({
              text: step.name,
              href: hrefOf({ page: 'objects', bucket, prefix: step.prefix }),
            })),
          ]}
        />
        {error !== undefined && (
          <Failure
            what="The objects could not be read"
            error={error}
            retry={items.length === 0 ? reload : loadMore}
          />
        )}
        {problem !== undefined && <Failure what="The download did not begin" error={problem} />}
        <UploadPanel />
        {isMissing ? (
          <Header variant="h1">{bucket}</Header>
        ) : (
          <Table
            items={items}
            trackBy="id"
            variant="full-page"
            stickyHeader={false}
            wrapLines
            loading={isLoading && items.length === 0}
            loadingText="Reading the objects …"
            columnDefinitions={entryColumns(bucket, isNarrow, { setTask, save })}
            ariaLabels={{ tableLabel: `Objects of ${bucket}` }}
            empty={error === undefined && <NoEntries isSearch={search !== ''} />}
            header={<PageHeader bucket={bucket} folder={folder} reload={reload} />}
            filter={
              <Input
                type="search"
                value={search}
                placeholder="Find by how a name begins"
                ariaLabel="Find objects by how their name begins"
                onChange={({ detail }) => setSearch(detail.value)}
              />
            }
            footer={<MoreButton hasMore={hasMore} isLoading={isLoading} loadMore={loadMore} />}
          />
        )}
        {task && (
          <ObjectTasks
            bucket={bucket}
            task={task}
            deleted={reload}
            close={() => setTask(undefined)}
          />
        )}
      </SpaceBetween>
    </DropZone>
  );
}

function PageHeader(props: {
  readonly bucket: string;
  readonly folder: string;
  readonly reload: () => void;
}) {
  const { bucket, folder, reload } = props;
  const { choose } = useUploads();
  return (
    <Header
      variant="awsui-h1-sticky"
      description="Drop files here to upload them."
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <Button iconName="refresh" ariaLabel="Read the objects again" onClick={reload} />
          <Button href={hrefOf({ page: 'links', bucket })}>Links</Button>
          <Button href={hrefOf({ page: 'changes', bucket })}>Watch changes</Button>
          <Button variant="primary" iconName="upload" onClick={() => choose(bucket, folder)}>
            Upload
          </Button>
        </SpaceBetween>
      }
    >
      <span className="text">{folder === '' ? bucket : folder}</span>
    </Header>
  );
}

function NoEntries({ isSearch }: { readonly isSearch: boolean }) {
  if (isSearch) return <Empty title="No name begins so">Upper and lower case differ.</Empty>;
  return <Empty title="Nothing here yet">Drop files here, or press Upload.</Empty>;
}

/** Milliseconds between the last key press and the search. */
const TYPING_MS = 250;

function useEntries(bucket: string, folder: string, search: string) {
  const { storage } = useSession();
  const { epoch } = useSignedIn();
  const [prefix, setPrefix] = useState(folder + search);
  useEffect(() => {
    const timer = setTimeout(() => setPrefix(folder + search), search === '' ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [folder, search]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const read = useCallback(
    async (next: string | undefined, signal?: AbortSignal): Promise<Page<Entry>> => {
      const page = await storage.list(bucket, { prefix, delimiter: '/', next }, signal);
      return { items: entriesOf(page, folderOf(prefix)), next: page.next_page_token };
    },
    [storage, bucket, prefix, epoch],
  );
  return usePages(read);
}

function useReloadAfterUploads(bucket: string, reload: () => void): void {
  const { items } = useUploads();
  const done = items.filter((item) => item.bucket === bucket && item.state === 'done').length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a finished upload reloads the list
  useEffect(() => {
    if (done > 0) reload();
  }, [done]);
}
