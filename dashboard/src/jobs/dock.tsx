/** The uploads and jobs that run in the background, at the end of the page. */
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { Failure } from '../parts/failure';
import { SeveralExist, UploadRows } from '../upload/upload-panel';
import { useUploadQueue } from '../upload/upload-queue-context';
import { useUploads } from '../upload/use-uploads';
import { JobRow, useJobs } from './job-panel';
import { useJobQueue } from './job-queue-context';

export function Dock() {
  const uploads = useUploadQueue();
  const jobs = useJobQueue();
  const { items, problem: unread } = useUploads();
  const works = useJobs();
  const [failed, setFailed] = useState<unknown>();
  const problem = failed ?? unread;
  if (items.length === 0 && works.length === 0 && problem === undefined) return null;
  const doneUploads = items.filter(({ state }) => state === 'done');
  const doneJobs = works.filter(({ state }) => state === 'done');
  const clear = () => {
    for (const { id } of doneUploads) void uploads.remove(id);
    for (const { id } of doneJobs) jobs.remove(id);
  };
  const count = items.length + works.length;
  const done = doneUploads.length + doneJobs.length;
  return (
    <section className="dock" aria-label="Uploads and jobs">
      <Container
        header={
          <Header
            variant="h2"
            counter={`(${done} of ${count} done)`}
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <SeveralExist />
                {done > 0 && <Button onClick={clear}>Clear the finished</Button>}
              </SpaceBetween>
            }
          >
            {works.length === 0 ? 'Uploads' : 'Uploads and jobs'}
          </Header>
        }
      >
        {/* Focusable, so that a keyboard can scroll it (WCAG 2.1.1). */}
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
          tabIndex={0}
          className="dock-items"
          aria-label="List of uploads and jobs"
        >
          <SpaceBetween size="m">
            {problem !== undefined && <Failure what="The action failed" error={problem} />}
            {works.map((item) => (
              <JobRow key={item.id} item={item} />
            ))}
            <UploadRows setProblem={setFailed} />
          </SpaceBetween>
        </section>
      </Container>
    </section>
  );
}
