/** Bugs of buckets that are deleted, and of objects that expire. */
import type { Ports } from '../service/environment';
import { changed, isOf, type PlantedBug } from './planted-bug';

const EMPTY = 'a deleted bucket was empty, and changes no more';
const APART = 'nothing of a deleted bucket is in the one that is created anew';

export const BUCKETS_AND_EXPIRY: readonly PlantedBug[] = [
  {
    title: 'a bucket is deleted with what it holds',
    seed: 56,
    foundBy: [EMPTY],
    plant: (ports, environment) => {
      if (!isOf(environment, 'api')) return ports;
      const list: Ports['objects']['list'] = async () => ({ items: [], more: false });
      const stats: Ports['buckets']['stats'] = async (name) => {
        const found = await ports.buckets.stats(name);
        return found && { ...found, objectCount: 0 };
      };
      return {
        ...ports,
        buckets: changed(ports.buckets, { stats }),
        objects: changed(ports.objects, { list }),
      };
    },
  },
  {
    title: 'a bucket that is created again has the id of the deleted one',
    seed: 3,
    foundBy: [APART],
    plant: (ports) => {
      const create: Ports['buckets']['create'] = ({ id: _, ...record }, replay) =>
        ports.buckets.create({ ...record, id: 'b99999999999' }, replay);
      return { ...ports, buckets: changed(ports.buckets, { create }) };
    },
  },
  {
    title: 'what has expired is not found',
    seed: 4,
    foundBy: ['an object that has expired is deleted by the job'],
    plant: (ports) => {
      const due: Ports['objects']['due'] = async () => ({ items: [], more: false });
      return { ...ports, objects: changed(ports.objects, { due }) };
    },
  },
];
