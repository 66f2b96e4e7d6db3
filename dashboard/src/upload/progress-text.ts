/** The progress of an upload as text. Pure functions. */
import { durationText, sizeText } from '../parts/format';
import { rateOf, secondsLeft, standsStill } from './pace';
import type { UploadItem } from './upload-item';

type Shown = Pick<UploadItem, 'sent' | 'state' | 'pace'> & {
  readonly file: Pick<UploadItem['file'], 'name' | 'size'>;
};

export function progressText(
  { sent, file, state, pace }: Shown,
  { now, isOnline }: { readonly now: number; readonly isOnline: boolean },
): string {
  const isStuck = pace !== undefined && state !== 'interrupted' && standsStill(pace, now);
  const done = `${sizeText(sent)} of ${sizeText(file.size)}`;
  if (state === 'interrupted')
    return `${done}. Interrupted: choose “${file.name}” again to resume.`;
  if (isStuck && !isOnline) return `${done}. Offline: continues when the connection is back.`;
  if (state === 'finishing') return 'All is sent. Waiting until the object appears …';
  if (!pace) return done;
  if (isStuck) return `${done}. Waiting for the connection …`;
  const rate = rateOf(pace);
  const left = secondsLeft(pace, file.size);
  if (!rate || left === undefined) return done;
  return `${done}, ${sizeText(Math.round(rate))} a second, ${durationText(left)} left`;
}
