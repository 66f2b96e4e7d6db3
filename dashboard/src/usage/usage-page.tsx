/** The page that shows the usage of all keys together, and of each. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useCallback, useState } from 'react';
import { allPages } from '../parts/all-pages';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { countText, plural } from '../parts/format';
import { goTo, hrefOf } from '../parts/navigation';
import { Text } from '../parts/text';
import { useLoad } from '../parts/use-load';
import { useNarrow } from '../parts/use-narrow';
import { useSession, useSignedIn } from '../session/session-context';
import { type KeyHours, readAllUsage } from './all-usage';
import { PERIODS, Totals, UsageChart } from './usage-chart';
import {
  admittedOf,
  barsOf,
  CLASS_WORDS,
  CLASSES,
  isByHour,
  totalsOf,
  type UsageClass,
} from './usage-series';

export function UsagePage() {
  const { admin } = useSession();
  const { epoch } = useSignedIn();
  const [days, setDays] = useState(1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    async (signal: AbortSignal) => {
      const { items } = await allPages((next) => admin.keys(next, signal), signal);
      return { all: items.length, usage: await readAllUsage(admin, items, days, signal) };
    },
    [admin, days, epoch],
  );
  const { value, error, isLoading, reload } = useLoad(load);
  const keys = value?.usage.keys ?? [];
  const bars = value && barsOf(hoursOf(keys), days, Date.now());
  return (
    <SpaceBetween size="l">
      <Header
        variant="h1"
        description="Requests of all keys. The counts may lack the last few requests before a pause. Times are in UTC."
        actions={
          <SpaceBetween direction="horizontal" size="xs">
            <SegmentedControl
              label="Period"
              selectedId={String(days)}
              options={PERIODS}
              onChange={({ detail }) => setDays(Number(detail.selectedId))}
            />
            <Button
              iconName="refresh"
              ariaLabel="Read the usage again"
              loading={isLoading && value !== undefined}
              onClick={reload}
            />
          </SpaceBetween>
        }
      >
        Usage
      </Header>
      {error !== undefined && (
        <Failure what="The usage could not be read" error={error} retry={reload} />
      )}
      {value?.all === 0 && (
        <Empty title="No keys yet">
          <Button onClick={() => goTo({ page: 'keys' })}>Go to the API keys</Button>
        </Empty>
      )}
      {value?.all !== 0 && (
        <Container header={<Header variant="h2">All keys</Header>}>
          <SpaceBetween size="l">
            {bars && <Totals bars={bars} />}
            {bars && <UsageChart bars={bars} byHour={isByHour(days)} />}
            {!bars && isLoading && <div>Reading the usage …</div>}
          </SpaceBetween>
        </Container>
      )}
      {keys.length > 0 && <ByKey keys={keys} leftOut={value?.usage.leftOut ?? 0} />}
    </SpaceBetween>
  );
}

function ByKey({
  keys,
  leftOut,
}: {
  readonly keys: readonly KeyHours[];
  readonly leftOut: number;
}) {
  const isNarrow = useNarrow();
  const rows = keys
    .map(({ key, hours }) => ({ key, counts: sumOf(hours) }))
    .toSorted((a, b) => b.counts.all - a.counts.all);
  return (
    <Table
      items={rows}
      trackBy={({ key }) => key.id}
      wrapLines
      ariaLabels={{ tableLabel: 'Usage by key' }}
      columnDefinitions={isNarrow ? NARROW : WIDE}
      header={
        <Header variant="h2" description="The keys that were used in this time.">
          By key
        </Header>
      }
      footer={
        leftOut > 0 && (
          <Box variant="small">
            {plural(leftOut, 'key')} that were used longer ago are left out.
          </Box>
        )
      }
    />
  );
}

function hoursOf(keys: readonly KeyHours[]) {
  return keys.flatMap(({ hours }) => hours);
}

type Counts = Readonly<Record<UsageClass | 'all', number>>;

function sumOf(hours: KeyHours['hours']): Counts {
  const totals = totalsOf(hours.map((counts) => ({ counts })));
  return { ...totals, all: admittedOf(totals) };
}

interface Row {
  readonly key: KeyHours['key'];
  readonly counts: Counts;
}

type Column = TableProps.ColumnDefinition<Row>;

function nameOf({ key }: Row) {
  return (
    <Link href={hrefOf({ page: 'key', id: key.id })}>
      <Text>{key.name}</Text>
    </Link>
  );
}

const WIDE: Column[] = [
  { id: 'name', header: 'Key', isRowHeader: true, minWidth: 160, cell: nameOf },
  { id: 'all', header: 'Requests', minWidth: 90, cell: ({ counts }) => countText(counts.all) },
  ...CLASSES.map((name) => ({
    id: name,
    header: CLASS_WORDS[name],
    minWidth: 80,
    cell: ({ counts }: Row) => countText(counts[name]),
  })),
];

const NARROW: Column[] = [
  {
    id: 'name',
    header: 'Key',
    isRowHeader: true,
    cell: (row) => (
      <>
        {nameOf(row)}
        <Box variant="small" display="block">
          {CLASSES.filter((name) => row.counts[name] > 0)
            .map((name) => `${CLASS_WORDS[name]} ${countText(row.counts[name])}`)
            .join(', ')}
        </Box>
      </>
    ),
  },
  { id: 'all', header: 'Requests', minWidth: 90, cell: ({ counts }) => countText(counts.all) },
];
