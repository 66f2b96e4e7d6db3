/** The queue of jobs, for every component of the page. */
import { createContext, useContext } from 'react';
import type { JobQueue } from './job-queue';

export const JobQueueContext = createContext<JobQueue | undefined>(undefined);

export function useJobQueue(): JobQueue {
  const queue = useContext(JobQueueContext);
  if (!queue) throw new Error('there is no JobQueueContext above');
  return queue;
}
