/** The columns of the table of keys. */
import Box from '@cloudscape-design/components/box';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import type { ApiKey } from '../api/admin';
import { goTo } from '../navigation';
import { countText, hourText, timeText } from '../parts/format';
import type { KeyTask } from './key-tasks';

type Column = TableProps.ColumnDefinition<ApiKey>;

/** On a phone the first column contains everything. */
export function columnsOf(isNarrow: boolean, setTask: (task: KeyTask) => void): Column[] {
  const actions: Column = {
    id: 'actions',
    header: 'Actions',
    cell: (key) => <Actions subject={key} setTask={setTask} />,
    minWidth: 90,
  };
  if (isNarrow) {
    const summary: Column = {
      id: 'name',
      header: 'Key',
      sortingField: 'name',
      isRowHeader: true,
      cell: (key) => (
        <SpaceBetween size="xxs">
          <Name subject={key} />
          <State subject={key} />
          <MayDo subject={key} />
          <Box variant="small">Last used: {lastUse(key) ?? 'not yet'}</Box>
        </SpaceBetween>
      ),
    };
    return [summary, actions];
  }
  return [
    {
      id: 'name',
      header: 'Name and id',
      sortingField: 'name',
      isRowHeader: true,
      minWidth: 150,
      cell: (key) => <Name subject={key} />,
    },
    {
      id: 'summary',
      header: 'May do',
      minWidth: 190,
      cell: (key) => <MayDo subject={key} />,
    },
    {
      id: 'state',
      header: 'State',
      sortingField: 'state',
      minWidth: 115,
      cell: (key) => <State subject={key} />,
    },
    {
      id: 'last_used_at',
      header: 'Last used',
      sortingField: 'last_used_at',
      minWidth: 120,
      cell: (key) => lastUse(key) ?? 'Not yet',
    },
    {
      id: 'rate',
      header: 'This hour',
      minWidth: 90,
      cell: (key) => <ThisHour subject={key} />,
    },
    {
      id: 'created_at',
      header: 'Created',
      sortingField: 'created_at',
      minWidth: 130,
      cell: (key) => (
        <>
          {timeText(key.created_at)}
          {key.created_by !== undefined && (
            <Box variant="small" display="block">
              <span className="text">by {key.created_by}</span>
            </Box>
          )}
        </>
      ),
    },
    actions,
  ];
}

/** The requests of the key, and how many were refused by the rate limit. */
function ThisHour({ subject: { rate } }: { readonly subject: ApiKey }) {
  if (!rate) return '–';
  const { limited, ...allowed } = rate;
  const all = Object.values(allowed).reduce((sum, count) => sum + count, 0);
  return (
    <>
      {countText(all)}
      {limited > 0 && (
        <StatusIndicator type="warning">{countText(limited)} refused</StatusIndicator>
      )}
    </>
  );
}

function Name({ subject }: { readonly subject: ApiKey }) {
  return (
    <>
      <span className="text">{subject.name}</span>
      <Box variant="small" display="block">
        <span className="id">{subject.id}</span>
      </Box>
    </>
  );
}

function MayDo({ subject }: { readonly subject: ApiKey }) {
  return (
    <SpaceBetween size="xxs">
      {subject.summary.map((line) => (
        <span className="text" key={line}>
          {line}
        </span>
      ))}
    </SpaceBetween>
  );
}

function State({ subject }: { readonly subject: ApiKey }) {
  const { state, expires_at, revoked_at, rotating_until } = subject;
  if (state === 'revoked') {
    return (
      <>
        <StatusIndicator type="stopped">Revoked</StatusIndicator>
        <Note>{timeOr(revoked_at, '')}</Note>
      </>
    );
  }
  if (state === 'expired') {
    return (
      <>
        <StatusIndicator type="warning">Expired</StatusIndicator>
        <Note>{timeOr(expires_at, '')}</Note>
      </>
    );
  }
  return (
    <>
      <StatusIndicator type="success">Active</StatusIndicator>
      {expires_at !== undefined && <Note>until {timeText(expires_at)}</Note>}
      {rotating_until !== undefined && <Note>old secret until {timeText(rotating_until)}</Note>}
    </>
  );
}

function Note({ children }: { readonly children: React.ReactNode }) {
  return (
    <Box variant="small" display="block">
      {children}
    </Box>
  );
}

function Actions(props: { readonly subject: ApiKey; readonly setTask: (task: KeyTask) => void }) {
  const { subject: key, setTask } = props;
  const kinds = ['change', 'rotate', 'revoke'] as const;
  return (
    <ButtonDropdown
      variant="inline-icon"
      expandToViewport
      ariaLabel={`Actions for ${key.name}`}
      items={[
        { id: 'change', text: 'Change', disabled: key.state === 'revoked' },
        { id: 'rotate', text: 'New secret', disabled: key.state !== 'active' },
        { id: 'usage', text: 'Show its use' },
        { id: 'revoke', text: 'Revoke', disabled: key.state === 'revoked' },
      ]}
      onItemClick={({ detail }) => {
        const kind = kinds.find((known) => known === detail.id);
        if (kind) setTask({ kind, key });
        if (detail.id === 'usage') goTo({ page: 'usage', key: key.id });
      }}
    />
  );
}

function lastUse({ last_used_at }: ApiKey): string | undefined {
  return last_used_at === undefined ? undefined : hourText(last_used_at);
}

function timeOr(iso: string | undefined, otherwise: string): string {
  return iso === undefined ? otherwise : timeText(iso);
}
