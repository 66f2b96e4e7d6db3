/** Request counts: totals by kind, and a chart over time. */
import BarChart from '@cloudscape-design/components/bar-chart';
import Box from '@cloudscape-design/components/box';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import { Empty } from '../parts/empty';
import { countText } from '../parts/format';
import { CLASS_WORDS, CLASSES, totalsOf, type UsageBar } from './usage-series';

export const PERIODS = [
  { id: '1', text: 'Today' },
  { id: '7', text: '7 days' },
  { id: '30', text: '30 days' },
] as const;

export function Totals({ bars }: { readonly bars: readonly UsageBar[] }) {
  const totals = totalsOf(bars);
  return (
    <KeyValuePairs
      columns={4}
      minColumnWidth={130}
      items={CLASSES.map((name) => ({ label: CLASS_WORDS[name], value: countText(totals[name]) }))}
    />
  );
}

const HOUR_TEXT = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });
const DAY_TEXT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

export function UsageChart(props: {
  readonly bars: readonly UsageBar[];
  readonly byHour: boolean;
}) {
  const { bars, byHour } = props;
  const label = (at: Date) => (byHour ? HOUR_TEXT : DAY_TEXT).format(at);
  const used = CLASSES.filter((name) => bars.some(({ counts }) => counts[name] > 0));
  return (
    <BarChart
      stackedBars
      height={260}
      hideFilter
      series={used.map((name) => ({
        type: 'bar',
        title: CLASS_WORDS[name],
        data: bars.map(({ at, counts }) => ({ x: label(at), y: counts[name] })),
      }))}
      xScaleType="categorical"
      xTitle={byHour ? 'Hour (UTC)' : 'Day (UTC)'}
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
