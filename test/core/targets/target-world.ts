/** A target, and the changes of one bucket that it is notified of. */
import type { Notification } from '../../../core/targets/notifications';
import type { Target } from '../../../core/targets/ports';
import { openBucket, put, type World } from '../../support/bucket-world';

export const MINUTE = 60_000;

/** A target that accepts everything; `sent`: what each call was given. */
export interface FakeTarget extends Target {
  readonly sent: (readonly Notification[])[];
}

export function openTarget(more: Partial<Target> = {}): FakeTarget {
  const sent: (readonly Notification[])[] = [];
  const { send = async (notifications) => notifications.length, ...others } = more;
  return {
    id: 'archive',
    buckets: ['*'],
    startFrom: 'now',
    maxBatchSize: 100,
    timeoutMs: 10_000,
    ...others,
    sent,
    send: (notifications) => {
      sent.push(notifications);
      return send(notifications);
    },
  };
}

/** The ranges that each call of the target was given. */
export const rangesOf = ({ sent }: FakeTarget) =>
  sent.map((notifications) => notifications.map(({ from, to }) => [from, to]));

/** One bucket of which a target is notified. */
export async function openWorld() {
  const { deps, bucket: record } = await openBucket();
  const bucket = { name: record.name, id: record.id };
  const stored = (target: Target) => deps.state.targetCursorsOf(target.id).get(bucket.id);
  return { deps, bucket, stored };
}

/** The log lines of that event. */
export const logged = ({ log }: World, name: string) =>
  log.lines.filter(({ event }) => event === name);

/** Writes that many objects. */
export async function write(deps: World, count: number) {
  for (let n = 0; n < count; n++) await put(deps, `k${n}`, 'x');
}
