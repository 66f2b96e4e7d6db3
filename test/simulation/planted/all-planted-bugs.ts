/** All bugs that are planted in simulations. */
import { BUCKETS_AND_EXPIRY } from './buckets-and-expiry';
import { CONSUMERS } from './consumers';
import { KEYS } from './keys';
import { LINKS } from './links';
import { LOG_AND_OBJECTS } from './log-and-objects';
import type { PlantedBug } from './planted-bug';
import { UPLOADS } from './uploads';

export const PLANTED_BUGS: readonly PlantedBug[] = [
  ...LOG_AND_OBJECTS,
  ...CONSUMERS,
  ...KEYS,
  ...LINKS,
  ...UPLOADS,
  ...BUCKETS_AND_EXPIRY,
];
