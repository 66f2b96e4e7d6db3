/** The page of the audit records: who did what to which key. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useCallback } from 'react';
import type { AuditRecord } from '../api/admin';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { timeText } from '../parts/format';
import { MoreButton } from '../parts/more-button';
import { useNarrow } from '../parts/use-narrow';
import { usePages } from '../parts/use-pages';
import { useSession, useSignedIn } from '../session/session-context';
import { ACTION_TEXT, detailLines } from './audit-text';

export function AuditPage() {
  const { admin } = useSession();
  const { epoch } = useSignedIn();
  const isNarrow = useNarrow();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const read = useCallback(
    (next: string | undefined, signal?: AbortSignal) => admin.audit(next, signal),
    [admin, epoch],
  );
  const { items, error, isLoading, hasMore, loadMore, reload } = usePages(read);
  return (
    <SpaceBetween size="m">
      {error !== undefined && (
        <Failure
          what="The records could not be read"
          error={error}
          retry={items.length === 0 ? reload : loadMore}
        />
      )}
      <Table
        items={items}
        trackBy="id"
        variant="full-page"
        stickyHeader={!isNarrow}
        wrapLines
        loading={isLoading && items.length === 0}
        loadingText="Reading the records …"
        columnDefinitions={isNarrow ? NARROW : WIDE}
        ariaLabels={{ tableLabel: 'Audit records' }}
        empty={
          error === undefined && (
            <Empty title="Nothing has happened yet">
              Every change of a key is recorded here, and who made it.
            </Empty>
          )
        }
        header={
          <Header
            variant="awsui-h1-sticky"
            description="Every change of a key, newest first."
            actions={
              <Button
                iconName="refresh"
                ariaLabel="Read the records again"
                loading={isLoading && items.length > 0}
                onClick={reload}
              />
            }
          >
            Audit
          </Header>
        }
        footer={<MoreButton hasMore={hasMore} isLoading={isLoading} loadMore={loadMore} />}
      />
    </SpaceBetween>
  );
}

const WIDE: TableProps.ColumnDefinition<AuditRecord>[] = [
  { id: 'at', header: 'When', minWidth: 140, cell: ({ at }) => timeText(at), isRowHeader: true },
  {
    id: 'actor',
    header: 'Who',
    minWidth: 140,
    cell: ({ actor }) => <span className="text">{actor}</span>,
  },
  { id: 'action', header: 'What', minWidth: 150, cell: ({ action }) => ACTION_TEXT[action] },
  {
    id: 'key',
    header: 'Key',
    minWidth: 130,
    cell: ({ key_id }) => <span className="id">{key_id}</span>,
  },
  {
    id: 'details',
    header: 'Details',
    minWidth: 220,
    cell: (record) => <Details record={record} />,
  },
];

const NARROW: TableProps.ColumnDefinition<AuditRecord>[] = [
  {
    id: 'record',
    header: 'What, who and when',
    isRowHeader: true,
    cell: (record) => (
      <SpaceBetween size="xxs">
        <Box variant="strong">{ACTION_TEXT[record.action]}</Box>
        <span className="id">{record.key_id}</span>
        <Details record={record} />
        <Box variant="small">
          <span className="text">{record.actor}</span>, {timeText(record.at)}
        </Box>
      </SpaceBetween>
    ),
  },
];

function Details({ record }: { readonly record: AuditRecord }) {
  return (
    <>
      {detailLines(record.details).map((line) => (
        <div className="text" key={line}>
          {line}
        </div>
      ))}
    </>
  );
}
