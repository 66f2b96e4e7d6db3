/** Bugs of links. */
import type { Ports } from '../service/environment';
import { changed, each, isOf, type PlantedBug } from './planted-bug';

const ENDED = 'a link that has ended does not open';

export const LINKS: readonly PlantedBug[] = [
  {
    title: 'the uses of a link are not counted',
    seed: 13,
    foundBy: ['a link opens as often as it may, and no more'],
    plant: (ports) => {
      const use: Ports['links']['use'] = async () => true;
      return { ...ports, links: changed(ports.links, { use }) };
    },
  },
  {
    title: 'that a link is revoked is acknowledged and not stored',
    seed: 43,
    foundBy: [ENDED],
    plant: (ports) => {
      const remove: Ports['links']['remove'] = async () => 'removed';
      return { ...ports, links: changed(ports.links, { remove }) };
    },
  },
  {
    title: 'a link works for an hour longer than it says',
    seed: 35,
    foundBy: [ENDED],
    plant: (ports, environment) => {
      if (!isOf(environment, 'download')) return ports;
      const HOUR_MS = 3_600_000;
      const get: Ports['links']['get'] = async (id) => {
        const link = await ports.links.get(id);
        if (!link) return undefined;
        const expiresAt = new Date(Date.parse(link.expiresAt) + HOUR_MS).toISOString();
        return { ...link, expiresAt };
      };
      const use: Ports['links']['use'] = (id, now) => ports.links.use(id, now - HOUR_MS);
      return { ...ports, links: changed(ports.links, { get, use }) };
    },
  },
  {
    title: 'every second request does not find its link',
    seed: 205,
    foundBy: ['a link opens until it ends'],
    plant: (ports) => {
      const isNow = each(2);
      const get: Ports['links']['get'] = async (id) => (isNow() ? undefined : ports.links.get(id));
      return { ...ports, links: changed(ports.links, { get }) };
    },
  },
  {
    title: 'a link to a version opens the current one',
    seed: 20,
    foundBy: ['a link opens the object that it was made for'],
    plant: (ports) => {
      const create: Ports['links']['create'] = ({ version: _, ...link }, ...rest) =>
        ports.links.create(link, ...rest);
      return { ...ports, links: changed(ports.links, { create }) };
    },
  },
];
