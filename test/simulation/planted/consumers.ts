/** Bugs of named consumers. */
import type { BucketStats } from '../../../core/objects/ports';
import type { Ports } from '../service/environment';
import { changed, isOf, type PlantedBug } from './planted-bug';

export const CONSUMERS: readonly PlantedBug[] = [
  {
    title: 'a consumer is stored as done with what it was only sent',
    seed: 18,
    foundBy: ['a consumer is never ahead of its reader', 'a consumer continues without a gap'],
    plant: (ports) => {
      const advance: Ports['consumers']['advance'] = (consumer, _, times) => {
        const all = [...ports.state.buckets.values()];
        const bucket = all.find(({ id }) => id === consumer.bucketId);
        const any = { ...times, notAfter: Number.MAX_SAFE_INTEGER };
        return ports.consumers.advance(consumer, bucket?.cursor ?? 0, any);
      };
      return { ...ports, consumers: changed(ports.consumers, { advance }) };
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
