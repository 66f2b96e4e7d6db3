/** The table of deleted objects of a bucket, with the person or key that deleted them. */
import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useCallback, useState } from 'react';
import { allPages } from '../parts/all-pages';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { timeText } from '../parts/format';
import { MoreButton } from '../parts/more-button';
import { hrefOf } from '../parts/navigation';
import { Text } from '../parts/text';
import { useLoad } from '../parts/use-load';
import { useNarrow } from '../parts/use-narrow';
import { usePages } from '../parts/use-pages';
import { useSession, useSignedIn } from '../session/session-context';
import { type Deletion, deletionPage } from './deletions';

export function DeletionsPanel() {
  const { storage } = useSession();
  const { epoch } = useSignedIn();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    (signal: AbortSignal) => allPages((next) => storage.buckets(next, signal), signal),
    [storage, epoch],
  );
  const { value, error, isLoading, reload } = useLoad(load);
  const [chosen, setChosen] = useState<string>();
  const options = (value?.items ?? []).map(({ name }) => ({ value: name, label: name }));
  const bucket = chosen ?? options[0]?.value;
  return (
    <SpaceBetween size="m">
      {error !== undefined && (
        <Failure what="The buckets could not be read" error={error} retry={reload} />
      )}
      <FormField label="Bucket">
        <Select
          statusType={isLoading && !value ? 'loading' : 'finished'}
          loadingText="Reading the buckets …"
          filteringType="auto"
          filteringAriaLabel="Find a bucket"
          options={options}
          selectedOption={options.find(({ value: name }) => name === bucket) ?? null}
          placeholder="Choose a bucket"
          empty="No buckets yet"
          onChange={({ detail }) => setChosen(detail.selectedOption.value)}
        />
      </FormField>
      {bucket !== undefined && <Deletions key={bucket} bucket={bucket} />}
    </SpaceBetween>
  );
}

function Deletions({ bucket }: { readonly bucket: string }) {
  const session = useSession();
  const { epoch } = useSignedIn();
  const isNarrow = useNarrow();
  const names = useMakers();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const read = useCallback(
    (next: string | undefined, signal?: AbortSignal) => deletionPage(session, bucket, next, signal),
    [session, bucket, epoch],
  );
  const { items, error, isLoading, hasMore, loadMore, reload } = usePages(read, false);
  const cells = columnsOf(bucket, names);
  return (
    <SpaceBetween size="m">
      {error !== undefined && (
        <Failure what="The deletions could not be read" error={error} retry={reload} />
      )}
      <Table
        items={items}
        trackBy="id"
        wrapLines
        loading={isLoading && items.length === 0}
        loadingText="Reading the deletions …"
        ariaLabels={{ tableLabel: `Deletions in ${bucket}` }}
        columnDefinitions={isNarrow ? narrowOf(cells) : cells}
        header={
          <Header
            variant="h2"
            description="Newest first, as far back as the bucket keeps its changes."
          >
            Deleted objects
          </Header>
        }
        empty={
          error === undefined && (
            <Empty title="No deletions">
              {hasMore
                ? 'None of the newest changes is one.'
                : 'None is kept in the change log of this bucket.'}
            </Empty>
          )
        }
        footer={<MoreButton hasMore={hasMore} isLoading={isLoading} loadMore={loadMore} />}
      />
    </SpaceBetween>
  );
}

interface MakerName {
  readonly name: string;
  readonly isPerson: boolean;
}

type Makers = ReadonlyMap<string, MakerName>;

const NOBODY: Makers = new Map();

/** Most audit records that are searched for the owners of session keys. */
const MOST_RECORDS = 1000;

/** Reads the names of keys; for the key of a session, the name of its owner. */
function useMakers(): Makers {
  const { admin } = useSession();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [keys, records] = await Promise.all([
        allPages((next) => admin.keys(next, signal), signal),
        admin.audit(undefined, { limit: MOST_RECORDS, signal }),
      ]);
      const sessions = records.items.filter(({ action }) => action === 'session');
      return new Map<string, MakerName>([
        ...sessions.map(({ key_id: id, actor: name }) => [id, { name, isPerson: true }] as const),
        ...keys.items.map(({ id, name }) => [id, { name, isPerson: false }] as const),
      ]);
    },
    [admin],
  );
  return useLoad(load).value ?? NOBODY;
}

type Column = TableProps.ColumnDefinition<Deletion>;

function columnsOf(bucket: string, makers: Makers): Column[] {
  return [
    { id: 'at', header: 'When', minWidth: 140, cell: ({ at }) => timeText(at) },
    {
      id: 'key',
      header: 'Object',
      isRowHeader: true,
      minWidth: 180,
      cell: ({ key }) => (
        <Link href={hrefOf({ page: 'object', bucket, key })}>
          <Text>{key}</Text>
        </Link>
      ),
    },
    {
      id: 'by',
      header: 'By',
      minWidth: 160,
      cell: (deletion) => <Maker deletion={deletion} makers={makers} />,
    },
  ];
}

function narrowOf(columns: readonly Column[]): Column[] {
  return [
    {
      id: 'deletion',
      header: 'Deletion',
      isRowHeader: true,
      cell: (deletion) => (
        <SpaceBetween size="xxs">
          {columns.map(({ id, cell }) => (
            <div key={id}>{cell(deletion)}</div>
          ))}
        </SpaceBetween>
      ),
    },
  ];
}

function Maker(props: { readonly deletion: Deletion; readonly makers: Makers }) {
  const { by, isExpired } = props.deletion;
  if (isExpired) return 'The service: it had expired';
  if (by === undefined) return 'Not known';
  const maker = props.makers.get(by);
  if (maker?.isPerson) {
    return (
      <>
        <Text>{maker.name}</Text>
        <Box variant="small" display="block">
          in the dashboard
        </Box>
      </>
    );
  }
  return (
    <Link href={hrefOf({ page: 'key', id: by })}>
      {maker === undefined ? <span className="id">{by}</span> : <Text>{maker.name}</Text>}
    </Link>
  );
}
