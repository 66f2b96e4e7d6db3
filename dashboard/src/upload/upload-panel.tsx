/** What is being uploaded, what was, and what an earlier visit left. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useEffect, useState } from 'react';
import { Failure } from '../parts/failure';
import { sizeText } from '../parts/format';
import { useSession } from '../session/session-context';
import type { UploadItem } from './queue';
import { useUploads } from './use-uploads';

export function UploadPanel() {
  const { uploads } = useSession();
  const { items } = useUploads();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    uploads.restore().catch(setProblem);
  }, [uploads]);
  if (items.length === 0 && problem === undefined) return null;
  const finished = items.filter(({ state }) => state === 'done');
  const clear = () => {
    for (const { id } of finished) void uploads.remove(id);
  };
  return (
    <Container
      header={
        <Header
          variant="h2"
          actions={finished.length > 0 && <Button onClick={clear}>Clear the finished</Button>}
        >
          Uploads
        </Header>
      }
    >
      <SpaceBetween size="m">
        {problem !== undefined && <Failure what="That did not work" error={problem} />}
        {items.map((item) => (
          <Row key={item.id} item={item} setProblem={setProblem} />
        ))}
      </SpaceBetween>
    </Container>
  );
}

interface RowProps {
  readonly item: UploadItem;
  readonly setProblem: (problem: unknown) => void;
}

function Row({ item, setProblem }: RowProps) {
  return (
    <div data-testid="upload" data-state={item.state}>
      <SpaceBetween size="xxs">
        <Progress item={item} />
        <Buttons item={item} setProblem={setProblem} />
      </SpaceBetween>
    </div>
  );
}

function Progress({ item }: Pick<RowProps, 'item'>) {
  const { bucket, key, file, sent, state } = item;
  const percent = file.size === 0 ? 0 : Math.floor((sent / file.size) * 100);
  const name = <span className="text">{key}</span>;
  const place = `to ${bucket}`;
  if (state === 'sending' || state === 'finishing' || state === 'interrupted') {
    return (
      <ProgressBar
        value={percent}
        label={name}
        description={place}
        ariaLabel={`Upload of ${key}`}
        additionalInfo={additionalInfo(item)}
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

function additionalInfo({ sent, file, state }: UploadItem): string {
  if (state === 'finishing') return 'All is sent. Waiting until the object appears …';
  const done = `${sizeText(sent)} of ${sizeText(file.size)}`;
  if (state === 'interrupted')
    return `${done}. Interrupted: choose “${file.name}” again to resume.`;
  return done;
}

function Status({ item }: Pick<RowProps, 'item'>) {
  switch (item.state) {
    case 'done':
      return <StatusIndicator type="success">Uploaded, {sizeText(item.file.size)}</StatusIndicator>;
    case 'exists':
      return (
        <StatusIndicator type="warning">There is an object of this name already.</StatusIndicator>
      );
    case 'failed':
      return (
        <StatusIndicator type="error">
          <span className="text">{item.problem}</span>
        </StatusIndicator>
      );
    default:
      return <StatusIndicator type="pending">Waiting</StatusIndicator>;
  }
}

function Buttons({ item, setProblem }: RowProps) {
  const { uploads } = useSession();
  const { chooseAgain } = useUploads();
  const { id, state, file, hasHandle } = item;
  const resume = () => {
    setProblem(undefined);
    if (hasHandle) uploads.resumeByHandle(id).catch(setProblem);
    else chooseAgain((chosen) => void uploads.resume(id, chosen).catch(setProblem));
  };
  const resumeText = hasHandle ? 'Resume' : 'Choose the file again';
  // The accessible name begins with the visible text.
  const removeButton = (word: string) => (
    <Button
      ariaLabel={`${word}: ${item.key}`}
      onClick={() => void uploads.remove(id).catch(setProblem)}
    >
      {word}
    </Button>
  );
  switch (state) {
    case 'interrupted':
      return (
        <SpaceBetween direction="horizontal" size="xs">
          <Button variant="primary" ariaLabel={`${resumeText}: ${file.name}`} onClick={resume}>
            {resumeText}
          </Button>
          {removeButton('Discard')}
        </SpaceBetween>
      );
    case 'exists':
      return (
        <SpaceBetween direction="horizontal" size="xs">
          <Button
            ariaLabel={`Replace it: ${item.key}`}
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
          <Button ariaLabel={`Try again: ${item.key}`} onClick={() => uploads.retry(id)}>
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
