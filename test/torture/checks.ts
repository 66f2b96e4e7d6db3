/**
 * The checks of a round, after everything has settled: what clients and followers were given,
 * against the change log. They are those of the simulation, made afterwards.
 */
import type { Notification } from '../../core/targets/notifications';
import type { Recorded } from '../linearizability/recorder';
import { Effects } from '../simulation/oracles/effects';
import { Linearizable } from '../simulation/oracles/linearizable';
import { shown } from '../simulation/oracles/listed';
import { Watch } from '../simulation/oracles/watch';
import type { Anomalies } from '../simulation/records/anomalies';
import type { BucketHistory } from '../simulation/records/history';
import { Notified } from '../simulation/service/notified';
import type { Received } from './followers';
import type { Outcomes } from './setting';

/** Each operation in the order of time: single keys are linearizable. */
export function checkOperations(
  history: BucketHistory,
  anomalies: Anomalies,
  operations: readonly Recorded[],
): void {
  const linearizable = new Linearizable(history, anomalies);
  const floors = new Map<Recorded, number>();
  const moments = operations.flatMap((one) => {
    if (one.key === undefined || one.return === undefined) return [];
    return [
      { at: one.call, one, isCall: true },
      { at: one.return, one, isCall: false },
    ];
  });
  for (const { one, isCall } of moments.sort((a, b) => a.at - b.at)) {
    const { key = '', kind, etag, seen } = one;
    if (isCall) floors.set(one, linearizable.floor(key));
    const floor = floors.get(one) ?? 0;
    if (isCall) continue;
    const found = seen && { key, ...seen, ...(etag && { etag }) };
    if (kind === 'read' && etag === '') linearizable.read(key, undefined, floor);
    else if (kind === 'read' && found) linearizable.read(key, found, floor);
    else if (kind !== 'read' && found) linearizable.wrote(found, floor);
  }
}

/** Each write took effect as often as its outcome says, commits are whole, bytes are right. */
export function checkEffects(
  history: BucketHistory,
  anomalies: Anomalies,
  outcomes: Outcomes,
): void {
  const effects = new Effects(history, anomalies);
  for (const write of outcomes.writes) effects.written(write);
  for (const { cursors, ifCursor } of outcomes.commits) effects.committed(cursors, ifCursor);
  for (const { etag, bytes } of outcomes.downloads) effects.read(etag, bytes.toString());
  effects.check();
}

/** What a reader of `sync()` was given: the clauses of a watch. */
export function checkWatch(
  history: BucketHistory,
  anomalies: Anomalies,
  { received, prefix }: { readonly received: readonly Received[]; readonly prefix: string },
): void {
  let watch = new Watch(history, anomalies, { cursor: 0, prefix });
  let furthest = 0;
  for (const event of received) {
    if (event.type === 'resume') watch.resume();
    else if (event.type === 'begin') {
      anomalies.require(
        'a consumer is not ahead of its reader',
        event.cursor <= furthest,
        () => `it is stored at ${event.cursor}, and its reader was at ${furthest}`,
      );
      watch = new Watch(history, anomalies, { cursor: event.cursor, prefix });
    } else if (event.type === 'cursor') {
      watch.end({ cursor: event.cursor });
      furthest = Math.max(furthest, event.cursor);
    } else if (event.type === 'put' || event.type === 'delete') {
      const { type, cursor, key, version } = event;
      watch.change({ type, object: { key, version }, cursor } as never);
    }
  }
}

/** The copy of a reader of `mirror()` at each cursor. */
export function checkMirror(
  history: BucketHistory,
  anomalies: Anomalies,
  { received, prefix }: { readonly received: readonly Received[]; readonly prefix: string },
): void {
  let copy = new Map<string, number>();
  let saved = new Map<string, number>();
  for (const event of received) {
    if (event.type === 'resume') copy = new Map(saved);
    else if (event.type === 'reset') copy.clear();
    else if (event.type === 'put' || event.type === 'snapshot') copy.set(event.key, event.cursor);
    else if (event.type === 'delete') copy.delete(event.key);
    else if (event.type === 'cursor') {
      compare(event.cursor, copy);
      saved = new Map(copy);
    }
  }

  function compare(cursor: number, found: ReadonlyMap<string, number>): void {
    const state = history.stateAt(cursor);
    const wanted = new Set(state && shown(state, (key) => key.startsWith(prefix)));
    const held = new Set([...found].map(([key, at]) => `${key}@${at}`));
    const extra = [...held].filter((one) => !wanted.has(one));
    const missing = [...wanted].filter((one) => !held.has(one) && !isDeletedLater(one, cursor));
    anomalies.require(
      'a mirror holds the state of its cursor',
      state !== undefined && extra.length === 0 && missing.length === 0,
      () => `at ${cursor} the copy has ${extra.join()} and lacks ${missing.join()}`,
    );
  }

  /** An object that is deleted while the list is read may be absent a little before. */
  function isDeletedLater(shownObject: string, cursor: number): boolean {
    const key = shownObject.slice(0, shownObject.lastIndexOf('@'));
    const next = history.ofKey.get(key)?.find((one) => one > cursor) ?? 0;
    return history.entry(next)?.type === 'delete';
  }
}

/** What a target was sent. */
export function checkTarget(
  history: BucketHistory,
  anomalies: Anomalies,
  {
    notifications,
    head,
  }: { readonly notifications: readonly Notification[]; readonly head: number },
): void {
  const notified = new Notified(history, anomalies);
  for (const notification of notifications) {
    if (notification.bucket_id !== history.id) continue;
    // The log keeps every change of a round, so no target has to read the bucket again.
    const { type } = notification;
    anomalies.require('a target is notified of every change', type === 'changes', () => type);
    notified.receive(notification);
  }
  anomalies.require(
    'a target is notified of every change',
    notified.cursor >= head,
    () => `it was notified up to ${notified.cursor} of ${head}`,
  );
}
