/** The queue of uploads, for every component of the page. */
import { createContext, useContext } from 'react';
import type { UploadQueue } from './queue';

export const UploadQueueContext = createContext<UploadQueue | undefined>(undefined);

export function useUploadQueue(): UploadQueue {
  const queue = useContext(UploadQueueContext);
  if (!queue) throw new Error('there is no UploadQueueContext above');
  return queue;
}
