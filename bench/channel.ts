/** Measures the delay of a follower and the effect of followers on the rate of writes. */
import type { FollowClient, Lag } from './follow-client';
import type { HttpClient } from './http-client';
import type { ChannelPlan } from './plan';
import type { Remote } from './remote';
import type { SdkClient } from './sdk-client';
import { median } from './statistics';

export interface Throughput {
  readonly followers: number;
  /** Changes a second until every follower has received the last one: median of the rounds. */
  readonly rate: number;
  /** `rate` divided by the rate of the same round without followers: median of the rounds. */
  readonly ratio: number;
  /** The smallest and the largest ratio. */
  readonly spread: readonly [number, number];
  /** Changes in a message, on average. */
  readonly changesPerMessage: number;
}

export interface ChannelFigures {
  readonly lag: Lag;
  readonly throughput: readonly Throughput[];
}

export interface ChannelClients {
  readonly http: Remote<HttpClient>;
  readonly sdk: Remote<SdkClient>;
  readonly follow: Remote<FollowClient>;
}

const bucketOf = (followers: number) => `bench-followed-by-${followers}`;

interface Round {
  readonly rate: number;
  readonly messages: number;
}

/** Each number of followers has its own bucket, so that all followers stay connected. */
export async function measureChannel(
  { http, sdk, follow }: ChannelClients,
  plan: ChannelPlan,
): Promise<ChannelFigures> {
  for (const followers of plan.followers) await http.call('createBucket', bucketOf(followers));
  const most = Math.max(...plan.followers);
  const channels = Array.from({ length: most }, (_, n) =>
    plan.followers.filter((followers) => n < followers).map(bucketOf),
  );
  await follow.call('connect', channels);
  const fewest = Math.min(...plan.followers.filter((followers) => followers > 0));
  const lag = await follow.call('lag', { bucket: bucketOf(fewest), count: plan.puts });
  const run = async (followers: number): Promise<Round> => {
    const bucket = bucketOf(followers);
    await follow.call('waitForFollowers', { bucket, cursor: 0 });
    const started = performance.now();
    const cursor = await sdk.call('commitMany', { bucket, count: plan.changes });
    const messages = await follow.call('waitForFollowers', { bucket, cursor });
    return { rate: (plan.changes * 1000) / (performance.now() - started), messages };
  };
  const rounds: Map<number, Round>[] = [];
  // The first round is not counted: it compiles code and starts functions.
  for (let n = 0; n <= plan.rounds; n++) {
    const round = new Map<number, Round>();
    for (const followers of plan.followers) round.set(followers, await run(followers));
    if (n > 0) rounds.push(round);
  }
  return { lag, throughput: plan.followers.map((followers) => summary(followers, rounds, plan)) };
}

function summary(
  followers: number,
  rounds: readonly ReadonlyMap<number, Round>[],
  { changes }: ChannelPlan,
): Throughput {
  const of = (count: number) => rounds.flatMap((round) => round.get(count) ?? []);
  const alone = of(0);
  const own = of(followers);
  const ratios = own.map(({ rate }, n) => rate / (alone[n]?.rate ?? Number.NaN));
  const messages = own.reduce((sum, round) => sum + round.messages, 0);
  return {
    followers,
    rate: median(own.map(({ rate }) => rate)),
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    changesPerMessage: (changes * followers * own.length) / messages,
  };
}
