/** Bugs of named consumers. */
import type { BucketStats } from '../../../core/store/buckets';
import type { Ports } from '../service/environment';
import { changed, isOf, type PlantedBug } from './planted-bug';

export const CONSUMERS: readonly PlantedBug[] = [
  {
    title: 'a consumer is stored one change ahead of what it has done',
    seed: 46,
    foundBy: ['a consumer is never ahead of its reader'],
    plant: (ports) => {
      const advance: Ports['consumers']['advance'] = (consumer, cursor, times) =>
        ports.consumers.advance(consumer, cursor + 1, times);
      const put: Ports['consumers']['put'] = (consumer, previous, ...rest) => {
        const isAhead = previous !== undefined && consumer.cursor > previous;
        const cursor = consumer.cursor + (isAhead ? 1 : 0);
        return ports.consumers.put({ ...consumer, cursor }, previous, ...rest);
      };
      return { ...ports, consumers: changed(ports.consumers, { advance, put }) };
    },
  },
  {
    title: 'a consumer continues behind the first change that it has not done',
    seed: 7,
    foundBy: ['a consumer continues without a gap'],
    plant: (ports, environment) => {
      if (isOf(environment, 'api')) return ports;
      const get: Ports['consumers']['get'] = async (id) => {
        const found = await ports.consumers.get(id);
        const head = [...ports.state.buckets.values()].find(
          (one) => one.id === id.bucketId,
        )?.cursor;
        return found && { ...found, cursor: Math.min(found.cursor + 1, head ?? 0) };
      };
      return { ...ports, consumers: changed(ports.consumers, { get }) };
    },
  },
  {
    title: 'a consumer that goes back is stored where it was',
    seed: 54,
    foundBy: ['a consumer goes back only when it is asked to'],
    plant: (ports) => {
      const put: Ports['consumers']['put'] = async (consumer, previous, ...rest) => {
        const isBack = previous !== undefined && consumer.cursor < previous;
        return isBack ? 'stored' : ports.consumers.put(consumer, previous, ...rest);
      };
      return { ...ports, consumers: changed(ports.consumers, { put }) };
    },
  },
  {
    title: 'a lag is that of statistics which an instance has read before',
    seed: 2,
    foundBy: ['the lag of a consumer is right'],
    plant: (ports, environment) => {
      if (!isOf(environment, 'api')) return ports;
      const read = new Map<string, BucketStats | undefined>();
      const stats: Ports['buckets']['stats'] = async (name) => {
        const known = read.get(name) ?? (await ports.buckets.stats(name));
        read.set(name, known);
        return known;
      };
      return { ...ports, buckets: changed(ports.buckets, { stats }) };
    },
  },
];
