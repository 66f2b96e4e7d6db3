/**
 * The flat-rate plans of CloudFront, each for one distribution. What a plan covers is not billed by
 * use; above its allowance AWS may slow the distribution down.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/flat-rate-pricing-plan.html
 */
import type list from './prices.json';

type PriceName = keyof typeof list.prices;

export const PLAN_NAMES = ['free', 'pro', 'business', 'premium'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

interface Plan {
  readonly price: PriceName;
  /** Requests and bytes to viewers that the plan allows in a month. */
  readonly requests: number;
  readonly gb: number;
}

/** What every plan covers. Transfer to the origin is not named by AWS's page, so it is billed. */
export const COVERED: readonly PriceName[] = [
  'cloudfrontRequests',
  'cloudfrontFunctions',
  'cloudfrontGb',
  'webAcls',
  'webAclRules',
  'webAclRequests',
];

export const PLANS: Readonly<Record<PlanName, Plan>> = {
  free: { price: 'planFree', requests: 1e6, gb: 100 },
  pro: { price: 'planPro', requests: 1e7, gb: 50_000 },
  business: { price: 'planBusiness', requests: 1.25e8, gb: 50_000 },
  premium: { price: 'planPremium', requests: 5e8, gb: 50_000 },
};

interface Traffic {
  readonly edge: boolean;
  readonly puts: number;
  readonly gets: number;
  readonly heads: number;
  readonly deletes: number;
  readonly lists: number;
  /** Bytes of each object. */
  readonly size: number;
}

/** The smallest plan whose allowance the traffic does not exceed; undefined: none, or no edge. */
export function planFor(traffic: Traffic): PlanName | undefined {
  const { edge, puts, gets, heads, deletes, lists, size } = traffic;
  if (!edge) return undefined;
  const requests = puts + gets + heads + deletes + lists;
  const gb = (gets * size) / 1e9;
  return PLAN_NAMES.find((name) => requests <= PLANS[name].requests && gb <= PLANS[name].gb);
}
