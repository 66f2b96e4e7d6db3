/** The page of one key: its settings, its usage and its audit records. */
import Box from '@cloudscape-design/components/box';
import BreadcrumbGroup from '@cloudscape-design/components/breadcrumb-group';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useCallback, useMemo, useState } from 'react';
import { shownText } from '../../../core/hidden';
import type { ApiKey } from '../api/admin';
import { NO_FILTER } from '../audit/audit-filter';
import { AuditTable } from '../audit/audit-table';
import { useAudit } from '../audit/use-audit';
import { Failure } from '../parts/failure';
import { hourText, timeText } from '../parts/format';
import { hrefOf } from '../parts/navigation';
import { Text } from '../parts/text';
import { useLoad } from '../parts/use-load';
import { useSession, useSignedIn } from '../session/session-context';
import { KeyUsage } from '../usage/key-usage';
import { State } from './key-columns';
import { type KeyTask, KeyTasks } from './key-tasks';

export function KeyPage({ id }: { readonly id: string }) {
  const { admin } = useSession();
  const { epoch } = useSignedIn();
  const [task, setTask] = useState<KeyTask>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback((signal: AbortSignal) => admin.key(id, signal), [admin, id, epoch]);
  const { value, error, reload } = useLoad(load);
  return (
    <SpaceBetween size="l">
      <BreadcrumbGroup
        ariaLabel="Where this page is"
        items={[
          { text: 'API keys', href: hrefOf({ page: 'keys' }) },
          { text: shownText(value?.name ?? id), href: hrefOf({ page: 'key', id }) },
        ]}
      />
      {value === undefined && (
        <Header variant="h1">
          <Text>Key {id}</Text>
        </Header>
      )}
      {error !== undefined && (
        <Failure what="The key could not be read" error={error} retry={reload} />
      )}
      {value === undefined && error === undefined && <div>Reading the key …</div>}
      {value && <Title subject={value} setTask={setTask} />}
      {value && <Settings subject={value} />}
      {value && <KeyUsage subject={value} />}
      {value && <KeyAudit subject={value} />}
      {task && <KeyTasks task={task} setTask={setTask} reload={reload} />}
    </SpaceBetween>
  );
}

function Title(props: { readonly subject: ApiKey; readonly setTask: (task: KeyTask) => void }) {
  const { subject: key, setTask } = props;
  const isRevoked = key.state === 'revoked';
  return (
    <Header
      variant="h1"
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <Button disabled={isRevoked} onClick={() => setTask({ kind: 'change', key })}>
            Change
          </Button>
          <Button
            disabled={key.state !== 'active'}
            onClick={() => setTask({ kind: 'rotate', key })}
          >
            New secret
          </Button>
          <Button disabled={isRevoked} onClick={() => setTask({ kind: 'revoke', key })}>
            Revoke
          </Button>
        </SpaceBetween>
      }
    >
      <Text>{key.name}</Text>
    </Header>
  );
}

function Settings({ subject }: { readonly subject: ApiKey }) {
  const { id, tier, last_used_at: used, created_at: created, created_by: creator } = subject;
  return (
    <Container header={<Header variant="h2">Settings</Header>}>
      <SpaceBetween size="m">
        <KeyValuePairs
          columns={3}
          minColumnWidth={170}
          items={[
            {
              label: 'Id',
              value: (
                <CopyToClipboard
                  variant="inline"
                  textToCopy={id}
                  copyButtonAriaLabel="Copy the id"
                  copySuccessText="Copied"
                  copyErrorText="The browser did not allow copying"
                />
              ),
            },
            { label: 'State', value: <State subject={subject} /> },
            { label: 'Rate limits', value: tier },
            { label: 'Last used', value: used === undefined ? 'Not yet' : hourText(used) },
            {
              label: 'Created',
              value: (
                <Text>
                  {timeText(created)}
                  {creator === undefined ? '' : ` by ${creator}`}
                </Text>
              ),
            },
            {
              label: 'Revoked by',
              value: <Text>{subject.revoked_by ?? '–'}</Text>,
            },
          ]}
        />
        <div>
          <Box variant="awsui-key-label">What it may do</Box>
          <ul>
            {subject.summary.map((line) => (
              <li key={line}>
                <Text>{line}</Text>
              </li>
            ))}
          </ul>
        </div>
      </SpaceBetween>
    </Container>
  );
}

function KeyAudit({ subject: { id } }: { readonly subject: ApiKey }) {
  const filter = useMemo(() => ({ ...NO_FILTER, text: id }), [id]);
  return <AuditTable {...useAudit(filter)} title="Audit" />;
}
