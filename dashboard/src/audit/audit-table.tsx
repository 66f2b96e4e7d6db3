/** A table of audit records. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';
import type { AuditRecord } from '../api/admin';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { timeText } from '../parts/format';
import { MoreButton } from '../parts/more-button';
import { hrefOf } from '../parts/navigation';
import { Text } from '../parts/text';
import { useNarrow } from '../parts/use-narrow';
import type { Pages } from '../parts/use-pages';
import { actionText, detailLines } from './audit-text';

interface AuditTableProps extends Pages<AuditRecord> {
  readonly title: string;
  readonly description?: string;
  readonly filter?: ReactNode;
  readonly actions?: ReactNode;
}

export function AuditTable(props: AuditTableProps) {
  const { items, error, isLoading, hasMore, loadMore, reload } = props;
  const isNarrow = useNarrow();
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
        wrapLines
        loading={isLoading && items.length === 0}
        loadingText="Reading the records …"
        columnDefinitions={isNarrow ? NARROW : WIDE}
        ariaLabels={{ tableLabel: 'Audit records' }}
        empty={
          error === undefined && (
            <Empty title="No records">
              {hasMore ? 'None of the newest ones fits.' : 'Nothing of this kind is recorded.'}
            </Empty>
          )
        }
        filter={props.filter}
        header={
          <Header
            variant="h2"
            description={props.description}
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                {props.actions}
                <Button
                  iconName="refresh"
                  ariaLabel="Read the records again"
                  loading={isLoading && items.length > 0}
                  onClick={reload}
                />
              </SpaceBetween>
            }
          >
            {props.title}
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
    cell: ({ actor }) => <Text>{actor}</Text>,
  },
  { id: 'action', header: 'What', minWidth: 150, cell: ({ action }) => actionText(action) },
  {
    id: 'key',
    header: 'Key',
    minWidth: 130,
    cell: (record) => <KeyId record={record} />,
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
        <Box variant="strong">{actionText(record.action)}</Box>
        <KeyId record={record} />
        <Details record={record} />
        <Box variant="small">
          <Text>{record.actor}</Text>, {timeText(record.at)}
        </Box>
      </SpaceBetween>
    ),
  },
];

/** Links to the key, unless it has no page: a key of a session, or a function without a key. */
function KeyId({ record }: { readonly record: AuditRecord }) {
  const { action, actor_id: actor, key_id: id } = record;
  const text = <span className="id">{id}</span>;
  const isOfSession = action === 'session' || (action === 'delete_bucket' && actor !== id);
  if (isOfSession || id.startsWith('iam:')) return text;
  return <Link href={hrefOf({ page: 'key', id })}>{text}</Link>;
}

function Details({ record }: { readonly record: AuditRecord }) {
  return (
    <>
      {detailLines(record.details).map((line) => (
        <div key={line}>
          <Text>{line}</Text>
        </div>
      ))}
    </>
  );
}
