/** Bugs in what is written, in the log, in lists and in what followers receive. */
import type { Commit } from '../../../core/log/ports';
import type { ObjectRecord } from '../../../core/store/objects';
import type { Ports } from '../service/environment';
import { changed, each, isOf, type PlantedBug } from './planted-bug';

export const LOG_AND_OBJECTS: readonly PlantedBug[] = [
  {
    title: 'a commit is acknowledged before it is made',
    seed: 1,
    foundBy: ['an acknowledged write is never lost'],
    plant: (ports) => {
      const isNow = each(4);
      const commit: Ports['commits']['commit'] = async (one) =>
        isNow() ? { result: 'committed' } : ports.commits.commit(one);
      return { ...ports, commits: changed(ports.commits, { commit }) };
    },
  },
  {
    title: 'an unknown outcome counts as committed',
    seed: 125,
    foundBy: ['an acknowledged write is never lost'],
    plant: (ports) => {
      const commit: Ports['commits']['commit'] = async (one) => {
        const outcome = await ports.commits.commit(one);
        return outcome.result === 'unknown' ? { result: 'committed' } : outcome;
      };
      return { ...ports, commits: changed(ports.commits, { commit }) };
    },
  },
  {
    title: 'the idempotency record is not written',
    seed: 52,
    foundBy: ['a write takes effect once'],
    plant: (ports) => {
      const commit = ({ idempotency: _, ...one }: Commit) => ports.commits.commit(one);
      return { ...ports, commits: changed(ports.commits, { commit }) };
    },
  },
  {
    title: 'a commit replaces the record that there is in place of the one that was read',
    seed: 2,
    foundBy: ['a change follows the last one of its key', 'versions follow cursors'],
    plant: (ports) => {
      const commit = (one: Commit) => {
        const records = ports.state.objectsOf(one.bucketId);
        const changes = one.changes.map((change) => ({
          ...change,
          previous: records.get(change.object.key),
        }));
        return ports.commits.commit({ ...one, changes });
      };
      return { ...ports, commits: changed(ports.commits, { commit }) };
    },
  },
  {
    title: 'the changes of a commit are written one by one',
    seed: 12,
    foundBy: ['a commit is one range of cursors'],
    plant: (ports) => {
      const commit: Ports['commits']['commit'] = async (one) => {
        for (const [index, change] of one.changes.entries()) {
          const part = { ...one, changes: [change], token: `${one.token}${index}` };
          const outcome = await ports.commits.commit(part);
          if (outcome.result !== 'committed') return outcome;
        }
        return { result: 'committed' };
      };
      return { ...ports, commits: changed(ports.commits, { commit }) };
    },
  },
  {
    title: 'if_cursor is no condition of the allocation',
    seed: 74,
    foundBy: ['if_cursor: nothing has changed since'],
    plant: (ports) => {
      const allocate: Ports['commits']['allocate'] = async (bucket, count, ifCursor) => {
        const first = await ports.commits.allocate(bucket, count);
        return ifCursor === undefined ? first : first;
      };
      return { ...ports, commits: changed(ports.commits, { allocate }) };
    },
  },
  {
    title: 'a gap fill does not look at what is stored',
    seed: 42,
    foundBy: ['every cursor has its entry', 'a mirror holds the state of its cursor'],
    plant: (ports, environment) => {
      if (!isOf(environment, 'fanout') && !isOf(environment, 'janitor')) return ports;
      const fill: Ports['changeLog']['fill'] = async (_, entry) => entry;
      return { ...ports, changeLog: changed(ports.changeLog, { fill }) };
    },
  },
  {
    title: 'trimming does not raise `oldest`',
    seed: 7,
    foundBy: ['an entry never changes', 'everything settles when nothing fails'],
    plant: (ports) => {
      const raiseOldest = async () => undefined;
      return { ...ports, buckets: changed(ports.buckets, { raiseOldest }) };
    },
  },
  {
    title: 'the published mark moves from wherever it is',
    seed: 10,
    foundBy: ['counters are what the records say'],
    plant: (ports) => {
      const movePublished: Ports['buckets']['movePublished'] = (bucket, step) => {
        const from = ports.state.stats.get(bucket.name)?.published ?? step.from;
        return ports.buckets.movePublished(bucket, { ...step, from });
      };
      return { ...ports, buckets: changed(ports.buckets, { movePublished }) };
    },
  },
  {
    title: 'the log counts as complete up to the counter',
    seed: 57,
    foundBy: ['the cursor of a list is settled', 'a mirror holds the state of its cursor'],
    plant: (ports, environment) => {
      if (!isOf(environment, 'api')) return ports;
      const stats: Ports['buckets']['stats'] = async (name) => {
        const found = await ports.buckets.stats(name);
        const published = ports.state.buckets.get(name)?.cursor ?? 0;
        return found && { ...found, published };
      };
      return { ...ports, buckets: changed(ports.buckets, { stats }) };
    },
  },
  {
    title: 'an instance answers from a record that it has read before',
    seed: 35,
    foundBy: ['a read is not stale'],
    plant: (ports) => {
      const read = new Map<string, ObjectRecord | undefined>();
      const get: Ports['objects']['get'] = async (bucketId, key) => {
        const name = `${bucketId} ${key}`;
        const known = read.get(name) ?? (await ports.objects.get(bucketId, key));
        read.set(name, known);
        return known;
      };
      return { ...ports, objects: changed(ports.objects, { get }) };
    },
  },
  {
    title: 'a record is now and then not found',
    seed: 4,
    foundBy: ['a key that was not found was absent', 'a change follows the last one of its key'],
    plant: (ports) => {
      const isNow = each(3);
      const get: Ports['objects']['get'] = async (bucketId, key) => {
        const found = await ports.objects.get(bucketId, key);
        return isNow() ? undefined : found;
      };
      return { ...ports, objects: changed(ports.objects, { get }) };
    },
  },
  {
    title: 'a range of a download ends one byte early',
    seed: 6,
    foundBy: ['a range of a download is that part of the bytes of its etag'],
    plant: (ports) => {
      const get: Ports['blobs']['get'] = (blob, range) =>
        ports.blobs.get(blob, range && { ...range, end: range.end - 1 });
      return { ...ports, blobs: changed(ports.blobs, { get }) };
    },
  },
  {
    title: 'a list ends one record early',
    seed: 2,
    foundBy: ['a list shows every object that existed throughout'],
    plant: (ports, environment) => {
      if (!isOf(environment, 'api')) return ports;
      const listShown: Ports['objects']['listShown'] = async (...range) => {
        const page = await ports.objects.listShown(...range);
        return { ...page, items: page.items.slice(0, -1) };
      };
      return { ...ports, objects: changed(ports.objects, { listShown }) };
    },
  },
  {
    title: 'a list shows objects that were deleted',
    seed: 34,
    foundBy: ['a list shows objects that existed while it was read'],
    plant: (ports, environment) => {
      if (!isOf(environment, 'api')) return ports;
      const listShown: Ports['objects']['listShown'] = async (bucketId, range, limit) => {
        const page = await ports.objects.listShown(bucketId, range, limit);
        const items = page.items.map((record) => {
          if (record.state === 'live') return record;
          const entry = ports.state.changesOf(bucketId).get(record.cursor);
          return (entry?.type === 'delete' && entry.previous) || record;
        });
        return { ...page, items };
      };
      return { ...ports, objects: changed(ports.objects, { listShown }) };
    },
  },
  {
    title: 'an earlier state is that of the cursor before',
    seed: 86,
    foundBy: ['an earlier state is what it was'],
    plant: (ports, environment) => {
      if (!isOf(environment, 'api')) return ports;
      const get: Ports['changeLog']['get'] = (bucketId, cursor) =>
        ports.changeLog.get(bucketId, Math.max(1, cursor - 1));
      return { ...ports, changeLog: changed(ports.changeLog, { get }) };
    },
  },
  {
    title: 'a message leaves the last change out',
    seed: 2,
    foundBy: ['watch: reliable', 'a mirror holds the state of its cursor', 'a follower never ends'],
    plant: (ports) => {
      const post: Ports['channels']['post'] = (connection, text) => {
        const message = JSON.parse(text);
        if (Array.isArray(message.changes)) message.changes.pop();
        return ports.channels.post(connection, JSON.stringify(message));
      };
      return { ...ports, channels: changed(ports.channels, { post }) };
    },
  },
  {
    title: 'a message has the object of another change',
    seed: 2,
    foundBy: ['a follower receives what was written', 'a mirror holds the state of its cursor'],
    plant: (ports) => {
      const post: Ports['channels']['post'] = (connection, text) => {
        const message = JSON.parse(text);
        for (const { object } of message.changes ?? []) object.version += 1;
        return ports.channels.post(connection, JSON.stringify(message));
      };
      return { ...ports, channels: changed(ports.channels, { post }) };
    },
  },
  {
    title: 'some bytes are acknowledged and not stored',
    seed: 10,
    foundBy: ['every object has its bytes', 'no request meets an unexpected error'],
    plant: (ports) => {
      const isNow = each(5);
      const put: Ports['blobs']['put'] = async (blob, bytes, content) => {
        const stored = await ports.blobs.put(blob, bytes, content);
        if (isNow()) ports.state.blobs.delete(blob);
        return stored;
      };
      return { ...ports, blobs: changed(ports.blobs, { put }) };
    },
  },
  {
    title: 'the bytes of superseded versions are never removed',
    seed: 1,
    foundBy: ['no blob is left without an object'],
    plant: (ports) => {
      const remove = async () => undefined;
      return { ...ports, blobs: changed(ports.blobs, { remove }) };
    },
  },
  {
    title: 'nobody is notified of a gap at the end of a quiet log, and the janitor does not look',
    seed: 38,
    foundBy: ['everything settles when nothing fails', 'every cursor has its entry'],
    plant: (ports, environment) => {
      const add = async () => undefined;
      const deferredTasks = changed(ports.deferredTasks, { add });
      if (!isOf(environment, 'janitor')) return { ...ports, deferredTasks };
      const list = async () => ({ items: [], more: false });
      return { ...ports, deferredTasks, buckets: changed(ports.buckets, { list }) };
    },
  },
];
