/** The page of audit records and deleted objects. */
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import { type ReactNode, useMemo, useState } from 'react';
import { shownText } from '../../../core/hidden';
import type { AuditRecord } from '../api/admin';
import { Failure } from '../parts/failure';
import { saveFile } from '../parts/save-file';
import { useAction } from '../parts/use-action';
import { useNarrow } from '../parts/use-narrow';
import { useSession } from '../session/session-context';
import { type AuditFilter, csvOf, filteredPages, NO_FILTER } from './audit-filter';
import { AuditTable } from './audit-table';
import { ACTION_TEXT } from './audit-text';
import { DeletionsPanel } from './deletions-table';
import { useAudit } from './use-audit';

const DAY = 86_400_000;

export function AuditPage() {
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        description="Who changed which key, and who deleted which bucket or object."
      >
        Audit
      </Header>
      <Tabs
        ariaLabel="What is audited"
        tabs={[
          { id: 'keys', label: 'Keys', content: <KeyRecords /> },
          { id: 'deletions', label: 'Deleted objects', content: <DeletionsPanel /> },
        ]}
      />
    </SpaceBetween>
  );
}

function KeyRecords() {
  const [filter, setFilter] = useState(NO_FILTER);
  const audit = useAudit(filter);
  const actors = useActors(audit.items.map(({ actor }) => actor));
  const save = useSave(filter);
  return (
    <SpaceBetween size="m">
      {save.error !== undefined && (
        <Failure what="The records could not be saved" error={save.error} />
      )}
      <AuditTable
        {...audit}
        title="Changes of keys, and deleted buckets"
        description="Newest first. Records are never removed."
        filter={<Filter filter={filter} actors={actors} change={setFilter} />}
        actions={
          <ButtonDropdown
            loading={save.isBusy}
            items={[
              { id: 'csv', text: 'As CSV' },
              { id: 'json', text: 'As JSON' },
            ]}
            onItemClick={({ detail }) => save.run(detail.id === 'json' ? 'json' : 'csv')}
          >
            Save
          </ButtonDropdown>
        }
      />
    </SpaceBetween>
  );
}

/** Returns the actors of all records that were shown so far. */
function useActors(found: readonly string[]): readonly string[] {
  const [seen, setSeen] = useState<readonly string[]>([]);
  const fresh = found.filter((actor) => !seen.includes(actor));
  if (fresh.length > 0) setSeen([...new Set([...seen, ...fresh])].sort());
  return seen;
}

/** Saves every record that fits the filter, not only those that are shown. */
function useSave(filter: AuditFilter) {
  const { admin } = useSession();
  return useAction(async (format: 'csv' | 'json') => {
    const read = filteredPages(
      (next, signal) => admin.audit(next, { limit: 1000, signal }),
      filter,
    );
    const records: AuditRecord[] = [];
    let next: string | undefined;
    do {
      const page = await read(next);
      records.push(...page.items);
      next = page.next;
    } while (next !== undefined);
    const name = `audit-${new Date().toISOString().slice(0, 10)}.${format}`;
    if (format === 'csv') saveFile(name, new Blob([csvOf(records)], { type: 'text/csv' }));
    else {
      const json = `${JSON.stringify(records, null, 2)}\n`;
      saveFile(name, new Blob([json], { type: 'application/json' }));
    }
  });
}

const KINDS = [
  { value: 'work', label: 'All but sign-ins' },
  { value: 'all', label: 'Everything' },
  ...Object.entries(ACTION_TEXT).map(([value, label]) => ({ value, label })),
];

const TIMES = [
  { value: '', label: 'At any time' },
  { value: '1', label: 'In the last day' },
  { value: '7', label: 'In the last 7 days' },
  { value: '30', label: 'In the last 30 days' },
  { value: '365', label: 'In the last year' },
];

interface FilterProps {
  readonly filter: AuditFilter;
  readonly actors: readonly string[];
  readonly change: (filter: AuditFilter) => void;
}

/** On a phone the choices are folded up, so that the records begin in view. */
function Filter(props: FilterProps) {
  const { filter, change } = props;
  const isNarrow = useNarrow();
  const choices = useChoices(props);
  const [text, setText] = useState(filter.text);
  const search = (
    <Input
      type="search"
      value={text}
      placeholder="Find, then press Enter"
      ariaLabel="Find records"
      onChange={({ detail }) => {
        setText(detail.value);
        if (detail.value === '') change({ ...filter, text: '' });
      }}
    />
  );
  const { kind, actor, since } = filter;
  const isChosen = [kind !== NO_FILTER.kind, actor !== '', since !== undefined];
  const chosen = isChosen.filter(Boolean).length;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change({ ...filter, text });
      }}
    >
      {isNarrow ? (
        <SpaceBetween size="xs">
          {search}
          <ExpandableSection headerText={chosen === 0 ? 'Filters' : `Filters (${chosen})`}>
            <SpaceBetween size="xs">{choices}</SpaceBetween>
          </ExpandableSection>
        </SpaceBetween>
      ) : (
        <ColumnLayout columns={4} minColumnWidth={170}>
          {search}
          {choices}
        </ColumnLayout>
      )}
    </form>
  );
}

/** Returns the fields of the filter as a list, because the layouts count and space them. */
function useChoices(props: FilterProps): readonly ReactNode[] {
  const { filter, change } = props;
  const [time, setTime] = useState('');
  const actors = useMemo(
    () => [
      { value: '', label: 'By anybody' },
      ...props.actors.map((value) => ({ value, label: shownText(value) })),
    ],
    [props.actors],
  );
  return [
    <Select
      key="kind"
      ariaLabel="Kind of record"
      options={KINDS}
      selectedOption={KINDS.find(({ value }) => value === filter.kind) ?? null}
      onChange={({ detail }) =>
        change({ ...filter, kind: detail.selectedOption.value as AuditFilter['kind'] })
      }
    />,
    <Select
      key="actor"
      ariaLabel="By whom"
      options={actors}
      selectedOption={actors.find(({ value }) => value === filter.actor) ?? null}
      onChange={({ detail }) => change({ ...filter, actor: detail.selectedOption.value ?? '' })}
    />,
    <Select
      key="time"
      ariaLabel="When"
      options={TIMES}
      selectedOption={TIMES.find(({ value }) => value === time) ?? null}
      onChange={({ detail }) => {
        const days = detail.selectedOption.value ?? '';
        setTime(days);
        const { since: _, ...rest } = filter;
        change(days === '' ? rest : { ...rest, since: Date.now() - Number(days) * DAY });
      }}
    />,
  ];
}
