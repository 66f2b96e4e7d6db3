/** The rows of running, finished and interrupted jobs. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator, {
  type StatusIndicatorProps,
} from '@cloudscape-design/components/status-indicator';
import { useEffect, useSyncExternalStore } from 'react';
import { shownText } from '../../../core/hidden';
import { plural } from '../parts/format';
import { Text } from '../parts/text';
import type { JobItem } from './job';
import { useJobQueue } from './job-queue-context';

/** Returns the jobs, also those of an earlier visit. */
export function useJobs(): readonly JobItem[] {
  const jobs = useJobQueue();
  useEffect(() => void jobs.restore(), [jobs]);
  return useSyncExternalStore(jobs.subscribe, jobs.items);
}

const TYPES: Readonly<Record<JobItem['state'], StatusIndicatorProps.Type>> = {
  running: 'in-progress',
  interrupted: 'warning',
  done: 'success',
  failed: 'error',
};

const TEXTS: Readonly<Record<JobItem['state'], string>> = {
  running: 'Running',
  interrupted: 'Interrupted when the page was left',
  done: 'Done',
  failed: 'Failed',
};

export function JobRow({ item }: { readonly item: JobItem }) {
  const jobs = useJobQueue();
  const { id, state, progress, problem, skipped, canContinue } = item;
  const title = shownText(item.title);
  const isEnded = state === 'done' || (state === 'failed' && !canContinue);
  return (
    <div data-testid="job" data-state={state}>
      <SpaceBetween size="xxs">
        <Box variant="awsui-key-label">
          <Text>{title}</Text>
        </Box>
        <StatusIndicator type={TYPES[state]}>
          <Text>
            {problem ?? TEXTS[state]}
            {progress !== '' && `, ${progress}`}
          </Text>
        </StatusIndicator>
        {skipped.length > 0 && <Skipped keys={skipped} />}
        <SpaceBetween direction="horizontal" size="xs">
          {canContinue && (state === 'interrupted' || state === 'failed') && (
            <Button ariaLabel={`Continue: ${title}`} onClick={() => jobs.continue(id)}>
              Continue
            </Button>
          )}
          <Button
            ariaLabel={`${isEnded ? 'Close' : 'Stop'}: ${title}`}
            onClick={() => jobs.remove(id)}
          >
            {isEnded ? 'Close' : 'Stop'}
          </Button>
        </SpaceBetween>
      </SpaceBetween>
    </div>
  );
}

/** Most skipped names that are listed. */
const SHOWN = 100;

function Skipped({ keys }: { readonly keys: readonly string[] }) {
  return (
    <ExpandableSection headerText={`${plural(keys.length, 'object')} left out`}>
      <Box variant="p">
        An object of that name exists, or the source was changed or deleted while the job ran.
      </Box>
      {keys.slice(0, SHOWN).map((key) => (
        <div key={key}>
          <Text code>{key}</Text>
        </div>
      ))}
    </ExpandableSection>
  );
}
