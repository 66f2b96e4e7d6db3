/** The rows of running, finished and interrupted uploads. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useEffect, useState } from 'react';
import { shownText } from '../../../core/hidden';
import { plural, sizeText } from '../parts/format';
import { Text } from '../parts/text';
import { progressText } from './progress-text';
import type { UploadItem } from './upload-item';
import { useUploadQueue } from './upload-queue-context';
import { useUploads } from './use-uploads';

/** Most uploads that are listed. */
const SHOWN = 20;

/** Uploads that wait for the user come first, finished ones last. */
const ORDER: readonly UploadItem['state'][] = [
  ...(['exists', 'failed', 'interrupted', 'finishing', 'sending', 'waiting', 'done'] as const),
];

export function UploadRows({ setProblem }: Pick<RowProps, 'setProblem'>) {
  const { items } = useUploads();
  const ordered = ORDER.flatMap((state) => items.filter((item) => item.state === state));
  const now = useNow(items.some(({ state }) => state === 'sending' || state === 'finishing'));
  return (
    <SpaceBetween size="m">
      {ordered.slice(0, SHOWN).map((item) => (
        <Row key={item.id} item={item} now={now} setProblem={setProblem} />
      ))}
      {ordered.length > SHOWN && (
        <Box variant="small">and {plural(ordered.length - SHOWN, 'more file')}</Box>
      )}
    </SpaceBetween>
  );
}

/** One decision for all files whose names are taken. */
export function SeveralExist() {
  const uploads = useUploadQueue();
  const { items } = useUploads();
  const existing = items.filter(({ state }) => state === 'exists');
  if (existing.length < 2) return null;
  const replaceAll = () => {
    for (const { id } of existing) uploads.retry(id, { replace: true });
  };
  const keepAll = () => {
    for (const { id } of existing) void uploads.remove(id);
  };
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <Button onClick={replaceAll}>Replace all {existing.length}</Button>
      <Button onClick={keepAll}>Keep all</Button>
    </SpaceBetween>
  );
}

/** Returns the time, updated every second while something moves. */
function useNow(isMoving: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isMoving]);
  return now;
}

interface RowProps {
  readonly item: UploadItem;
  readonly now: number;
  readonly setProblem: (problem: unknown) => void;
}

function Row({ item, now, setProblem }: RowProps) {
  return (
    <div data-testid="upload" data-state={item.state}>
      <SpaceBetween size="xxs">
        <Progress item={item} now={now} />
        <Buttons item={item} setProblem={setProblem} />
      </SpaceBetween>
    </div>
  );
}

function Progress({ item, now }: Pick<RowProps, 'item' | 'now'>) {
  const { bucket, key, file, sent, state } = item;
  const percent = file.size === 0 ? 0 : Math.floor((sent / file.size) * 100);
  const name = <Text>{key}</Text>;
  const place = `to ${bucket}`;
  if (state === 'sending' || state === 'finishing' || state === 'interrupted') {
    return (
      <ProgressBar
        value={percent}
        label={name}
        description={place}
        ariaLabel={`Upload of ${shownText(key)}`}
        additionalInfo={shownText(progressText(item, { now, isOnline: navigator.onLine }))}
      />
    );
  }
  return (
    <div>
      <Box variant="awsui-key-label">{name}</Box>
      <Status item={item} /> <Box variant="small">{place}</Box>
    </div>
  );
}

function Status({ item }: Pick<RowProps, 'item'>) {
  switch (item.state) {
    case 'done':
      return <StatusIndicator type="success">Uploaded, {sizeText(item.file.size)}</StatusIndicator>;
    case 'exists':
      return (
        <StatusIndicator type="warning">
          <Text>There is an object of this name already.</Text>
        </StatusIndicator>
      );
    case 'failed':
      return (
        <StatusIndicator type="error">
          <Text>{item.problem}</Text>
          {item.isCutOff && !navigator.onLine && ' It continues when the connection is back.'}
        </StatusIndicator>
      );
    default:
      return <StatusIndicator type="pending">Waiting</StatusIndicator>;
  }
}

function Buttons({ item, setProblem }: Omit<RowProps, 'now'>) {
  const uploads = useUploadQueue();
  const { chooseAgain } = useUploads();
  const { id, state, file, hasHandle } = item;
  const name = shownText(item.key);
  const resume = () => {
    setProblem(undefined);
    if (hasHandle) uploads.resumeByHandle(id).catch(setProblem);
    else chooseAgain((chosen) => void uploads.resume(id, chosen).catch(setProblem));
  };
  const resumeText = hasHandle ? 'Resume' : 'Choose the file again';
  // The accessible name begins with the visible text.
  const removeButton = (word: string) => (
    <Button
      ariaLabel={`${word}: ${name}`}
      onClick={() => void uploads.remove(id).catch(setProblem)}
    >
      {word}
    </Button>
  );
  switch (state) {
    case 'interrupted':
      return (
        <SpaceBetween direction="horizontal" size="xs">
          <Button
            variant="primary"
            ariaLabel={`${resumeText}: ${shownText(file.name)}`}
            onClick={resume}
          >
            {resumeText}
          </Button>
          {removeButton('Discard')}
        </SpaceBetween>
      );
    case 'exists':
      return (
        <SpaceBetween direction="horizontal" size="xs">
          <Button
            ariaLabel={`Replace it: ${name}`}
            onClick={() => uploads.retry(id, { replace: true })}
          >
            Replace it
          </Button>
          {removeButton('Skip')}
        </SpaceBetween>
      );
    case 'failed':
      return (
        <SpaceBetween direction="horizontal" size="xs">
          <Button ariaLabel={`Try again: ${name}`} onClick={() => uploads.retry(id)}>
            Try again
          </Button>
          {removeButton('Discard')}
        </SpaceBetween>
      );
    case 'sending':
    case 'waiting':
      return removeButton('Cancel');
    default:
      return null;
  }
}
