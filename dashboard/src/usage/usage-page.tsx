/** The page that shows the usage of a key. */
import BarChart from '@cloudscape-design/components/bar-chart';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Grid from '@cloudscape-design/components/grid';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useCallback, useState } from 'react';
import type { ApiKey } from '../api/admin';
import { goTo } from '../navigation';
import { allPages } from '../parts/all-pages';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { countText } from '../parts/format';
import { useLoad } from '../parts/use-load';
import { useNarrow } from '../parts/use-narrow';
import { useSession, useSignedIn } from '../session/session-context';
import { barsOf, CLASS_WORDS, CLASSES, totalsOf, type UsageBar } from './usage-series';

const PERIODS = [
  { id: '1', text: 'Today' },
  { id: '7', text: '7 days' },
  { id: '30', text: '30 days' },
] as const;

export function UsagePage(props: { readonly keyId?: string }) {
  const { admin } = useSession();
  const { epoch } = useSignedIn();
  const isNarrow = useNarrow();
  const [days, setDays] = useState(1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    (signal: AbortSignal) => allPages((next) => admin.keys(next, signal), signal),
    [admin, epoch],
  );
  const { value, error, isLoading, reload } = useLoad(load);
  const keys = [...(value?.items ?? [])].sort((a, b) => a.name.localeCompare(b.name));
  const chosen = keys.find(({ id }) => id === props.keyId) ?? keys[0];
  const options = keys.map(optionOf);
  const hasNone = value !== undefined && keys.length === 0;
  return (
    <SpaceBetween size="l">
      <Header
        variant="h1"
        description="Requests of one key, by kind: at least so many. The last few before a pause may be missing. Hours are in your time zone, days in UTC."
      >
        Usage
      </Header>
      {error !== undefined && (
        <Failure what="The keys could not be read" error={error} retry={reload} />
      )}
      {hasNone && (
        <Empty title="No keys yet">
          <Button onClick={() => goTo({ page: 'keys' })}>Go to the API keys</Button>
        </Empty>
      )}
      {!hasNone && (
        <Grid
          gridDefinition={[{ colspan: { default: 12, s: 6 } }, { colspan: { default: 12, s: 6 } }]}
        >
          <FormField label="Key">
            <Select
              statusType={isLoading && !value ? 'loading' : 'finished'}
              loadingText="Reading the keys …"
              filteringType="auto"
              filteringAriaLabel="Find a key"
              selectedOption={chosen ? optionOf(chosen) : null}
              options={options}
              placeholder={value ? 'Choose a key' : isLoading ? 'Reading the keys …' : undefined}
              onChange={({ detail }) => goTo({ page: 'usage', key: detail.selectedOption.value })}
            />
          </FormField>
          {/* On a phone the control has a label of its own. */}
          <FormField label={isNarrow ? undefined : 'Period'}>
            <SegmentedControl
              label="Period"
              selectedId={String(days)}
              options={PERIODS}
              onChange={({ detail }) => setDays(Number(detail.selectedId))}
            />
          </FormField>
        </Grid>
      )}
      {chosen && <KeyUsage key={chosen.id} subject={chosen} days={days} />}
    </SpaceBetween>
  );
}

function KeyUsage({ subject, days }: { readonly subject: ApiKey; readonly days: number }) {
  const { admin } = useSession();
  const { id } = subject;
  const load = useCallback(
    async (signal: AbortSignal) => barsOf(await admin.usage(id, days, signal), days, Date.now()),
    [admin, id, days],
  );
  const { value, error, isLoading, reload } = useLoad(load);
  return (
    <Container
      header={
        <Header
          variant="h2"
          actions={
            <Button
              iconName="refresh"
              ariaLabel="Read the usage again"
              loading={isLoading && value !== undefined}
              onClick={reload}
            />
          }
        >
          <span className="text">{subject.name}</span>
        </Header>
      }
    >
      <SpaceBetween size="l">
        {error !== undefined && (
          <Failure what="The usage could not be read" error={error} retry={reload} />
        )}
        {value && <Totals bars={value} />}
        <Chart bars={value ?? []} isLoading={isLoading && !value} byHour={days <= 2} />
      </SpaceBetween>
    </Container>
  );
}

function Totals({ bars }: { readonly bars: readonly UsageBar[] }) {
  const totals = totalsOf(bars);
  return (
    <KeyValuePairs
      columns={4}
      minColumnWidth={130}
      items={CLASSES.map((name) => ({ label: CLASS_WORDS[name], value: countText(totals[name]) }))}
    />
  );
}

const HOUR_TEXT = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const DAY_TEXT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

function Chart(props: {
  readonly bars: readonly UsageBar[];
  readonly isLoading: boolean;
  readonly byHour: boolean;
}) {
  const { bars, isLoading, byHour } = props;
  const label = (at: Date) => (byHour ? HOUR_TEXT : DAY_TEXT).format(at);
  const used = CLASSES.filter((name) => bars.some(({ counts }) => counts[name] > 0));
  return (
    <BarChart
      stackedBars
      height={260}
      hideFilter
      statusType={isLoading ? 'loading' : 'finished'}
      loadingText="Reading the usage …"
      series={used.map((name) => ({
        type: 'bar',
        title: CLASS_WORDS[name],
        data: bars.map(({ at, counts }) => ({ x: label(at), y: counts[name] })),
      }))}
      xScaleType="categorical"
      xTitle={byHour ? 'Hour' : 'Day'}
      yTitle="Requests"
      yTickFormatter={(value) => (Number.isInteger(value) ? countText(value) : '')}
      ariaLabel="Requests over time"
      ariaDescription="The totals are shown above the chart."
      empty={
        <Empty title="Nothing was counted in this time">Requests appear within seconds.</Empty>
      }
      noMatch={<Box>Nothing fits</Box>}
    />
  );
}

function optionOf({ id, name, state }: ApiKey) {
  return { value: id, label: name, description: id, tags: state === 'active' ? [] : [state] };
}
