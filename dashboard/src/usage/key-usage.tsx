/** The usage of one key over time. */
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useCallback, useState } from 'react';
import type { ApiKey } from '../api/admin';
import { Failure } from '../parts/failure';
import { useLoad } from '../parts/use-load';
import { useSession } from '../session/session-context';
import { PERIODS, Totals, UsageChart } from './usage-chart';
import { barsOf, isByHour } from './usage-series';

export function KeyUsage({ subject }: { readonly subject: ApiKey }) {
  const { admin } = useSession();
  const [days, setDays] = useState(7);
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
          description="At least so many requests. Times are in UTC."
          actions={
            <SegmentedControl
              label="Period"
              selectedId={String(days)}
              options={PERIODS}
              onChange={({ detail }) => setDays(Number(detail.selectedId))}
            />
          }
        >
          Usage
        </Header>
      }
    >
      <SpaceBetween size="l">
        {error !== undefined && (
          <Failure what="The usage could not be read" error={error} retry={reload} />
        )}
        {value && <Totals bars={value} />}
        {value && <UsageChart bars={value} byHour={isByHour(days)} />}
        {!value && isLoading && <div>Reading the usage …</div>}
      </SpaceBetween>
    </Container>
  );
}
