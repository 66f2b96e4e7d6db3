/** The columns of the table of keys. */
import Box from '@cloudscape-design/components/box';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import { shownText } from '../../../core/hidden';
import type { ApiKey } from '../api/admin';
import { dayText, hourAgeText, timeText } from '../parts/format';
import { goTo, hrefOf } from '../parts/navigation';
import { Text } from '../parts/text';
import { chipsOf } from './chips';
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
          <Permissions subject={key} />
          <Box variant="small">Last used: {lastUse(key)}</Box>
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
      minWidth: 170,
      cell: (key) => <Name subject={key} />,
    },
    {
      id: 'permissions',
      header: 'May',
      minWidth: 240,
      cell: (key) => <Permissions subject={key} />,
    },
    {
      id: 'state',
      header: 'State',
      sortingField: 'state',
      minWidth: 130,
      cell: (key) => <State subject={key} />,
    },
    {
      id: 'last_used_at',
      header: 'Last used',
      sortingField: 'last_used_at',
      minWidth: 140,
      cell: (key) => <span className="nowrap">{lastUse(key)}</span>,
    },
    {
      id: 'created_at',
      header: 'Created',
      sortingField: 'created_at',
      minWidth: 130,
      cell: (key) => (
        <>
          <span className="nowrap">{dayText(key.created_at)}</span>
          {key.created_by !== undefined && <Note>by {key.created_by}</Note>}
        </>
      ),
    },
    actions,
  ];
}

function Name({ subject }: { readonly subject: ApiKey }) {
  return (
    <>
      <Link href={hrefOf({ page: 'key', id: subject.id })}>
        <Text>{subject.name}</Text>
      </Link>
      <Box variant="small" display="block">
        <span className="id">{subject.id}</span>
      </Box>
    </>
  );
}

/** The permissions of the key, one line each. The page of the key has them in sentences. */
function Permissions({ subject }: { readonly subject: ApiKey }) {
  return (
    <>
      {subject.permissions.map((permission) => {
        const { actions, where } = chipsOf(permission);
        return (
          <div key={JSON.stringify(permission)}>
            {actions.map((action) => (
              <span className="chip" key={action}>
                {action}
              </span>
            ))}
            <Text>{where}</Text>
          </div>
        );
      })}
    </>
  );
}

export function State({ subject }: { readonly subject: ApiKey }) {
  const { state, expires_at, revoked_at, rotating_until } = subject;
  if (state === 'revoked') {
    return (
      <>
        <StatusIndicator type="stopped">Revoked</StatusIndicator>
        {revoked_at !== undefined && <Note>{dayText(revoked_at)}</Note>}
      </>
    );
  }
  if (state === 'expired') {
    return (
      <>
        <StatusIndicator type="warning">Expired</StatusIndicator>
        {expires_at !== undefined && <Note>{dayText(expires_at)}</Note>}
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
      <Text>{children}</Text>
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
      ariaLabel={`Actions for ${shownText(key.name)}`}
      items={[
        { id: 'change', text: 'Change', disabled: key.state === 'revoked' },
        { id: 'rotate', text: 'New secret', disabled: key.state !== 'active' },
        { id: 'show', text: 'Usage and audit' },
        { id: 'revoke', text: 'Revoke', disabled: key.state === 'revoked' },
      ]}
      onItemClick={({ detail }) => {
        const kind = kinds.find((known) => known === detail.id);
        if (kind) setTask({ kind, key });
        if (detail.id === 'show') goTo({ page: 'key', id: key.id });
      }}
    />
  );
}

function lastUse({ last_used_at }: ApiKey): string {
  return last_used_at === undefined ? 'Not yet' : hourAgeText(last_used_at, Date.now());
}
