/** Who takes part in a simulation: its seed decides. */
import type { SeededRandom } from '../machine/random';
import type { Actor } from './actor';
import { BucketKeeper } from './bucket-keeper';
import { ConsumerFollower } from './consumers';
import { ChangesFollower, type Follower, MirrorFollower, type Transport } from './followers';
import { KeyKeeper } from './key-keeper';
import { LinkKeeper } from './link-keeper';
import { RuleKeeper } from './rule-keeper';
import type { Setting } from './setting';
import { Uploader } from './uploader';
import { WRITER_OPERATIONS, Writer } from './writer';

/** How many simulations have one of each kind: what all have, each has little of. */
const SHARE = 0.25;

const FURTHER: Readonly<Record<string, (setting: Setting, name: string) => Actor>> = {
  keys: (setting, name) => new KeyKeeper(setting, name),
  links: (setting, name) => new LinkKeeper(setting, name),
  keeper: (setting, name) => new BucketKeeper(setting, name),
  rules: (setting, name) => new RuleKeeper(setting, name),
  uploader: (setting, name) => new Uploader(setting, name),
};

/** What is done, by name, of which a simulation of many seeds has everything. */
export const OPERATIONS = [
  ...WRITER_OPERATIONS,
  ...[
    'consumer',
    'consumer back',
    'staged upload',
    'staged commit',
    'upload in parts',
    'bucket created',
    'bucket deleted',
    'lifecycle rules',
    'link',
    'link opened',
    'link revoked',
    'key created',
    'key used',
    'key changed',
    'key rotated',
    'key revoked',
  ],
];

/** The writers, and in some simulations others. */
export function actorsOf(setting: Setting, plan: SeededRandom): readonly Actor[] {
  const all: Actor[] = [];
  for (let n = 1; n <= plan.between(2, 4); n++) all.push(new Writer(setting, `w${n}`));
  for (const [name, create] of Object.entries(FURTHER)) {
    if (setting.simulation.random(`has ${name}`).chance(SHARE)) all.push(create(setting, name));
  }
  return all;
}

export function followersOf(setting: Setting): readonly Follower[] {
  const plan = setting.simulation.random('followers');
  const followers = Array.from({ length: plan.between(1, 4) }, (_, index) => {
    const transport: Transport = plan.chance(0.7) ? 'websocket' : 'poll';
    const prefix = plan.chance(0.6) ? '' : plan.pick(setting.prefixes);
    const bucket = plan.pick(setting.buckets);
    const options = { name: `f${index + 1}`, bucket, prefix, transport };
    return plan.chance(0.5)
      ? new MirrorFollower(setting, options)
      : new ChangesFollower(setting, options);
  });
  return [...followers, ...consumersOf(setting)];
}

function consumersOf(setting: Setting): readonly Follower[] {
  const plan = setting.simulation.random('consumers');
  if (!plan.chance(SHARE)) return [];
  const transport: Transport = plan.chance(0.7) ? 'websocket' : 'poll';
  const prefix = plan.chance(0.6) ? '' : plan.pick(setting.prefixes);
  const bucket = plan.pick(setting.buckets);
  return [new ConsumerFollower(setting, { name: 'consumer', bucket, prefix, transport })];
}
