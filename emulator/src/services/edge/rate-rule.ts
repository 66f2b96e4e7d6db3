/**
 * The rate-based rule of a distribution's web ACL. AWS WAF counts the last five minutes every few
 * seconds, so that it refuses later; the emulator refuses the first request above the limit.
 * https://docs.aws.amazon.com/waf/latest/developerguide/waf-rule-statement-type-rate-based.html
 */
import type { ResolvedStack } from '../../template/model';
import { resourcesOfType } from '../../template/resources';
import { Properties } from '../rest-api/model/properties';

export interface RateRuleModel {
  readonly limit: number;
  /** The response to a request above the limit. */
  readonly status: number;
  /** Name, value, name, value … */
  readonly headers: readonly string[];
  readonly body: string;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  APPLICATION_JSON: 'application/json',
  TEXT_PLAIN: 'text/plain',
  TEXT_HTML: 'text/html',
};

/** Returns undefined when `arn` names no web ACL of the stack. Throws UserError. */
export function readRateRule(
  stack: ResolvedStack,
  arn: string | undefined,
): RateRuleModel | undefined {
  const resource = resourcesOfType(stack, 'AWS::WAFv2::WebACL').find((acl) => acl.arn === arn);
  if (resource === undefined) return undefined;
  const acl = new Properties(resource);
  if (acl.string('Scope') !== 'CLOUDFRONT') acl.refuse('must be CLOUDFRONT', 'Scope');
  if (!acl.object('DefaultAction')?.object('Allow')) acl.refuse('must be Allow', 'DefaultAction');
  const [rule, second] = acl.objects('Rules');
  if (rule === undefined || second !== undefined) return acl.refuse('must be one rule', 'Rules');
  const statement = rule.object('Statement')?.object('RateBasedStatement');
  const block = rule.object('Action')?.object('Block')?.object('CustomResponse');
  if (statement?.string('AggregateKeyType') !== 'IP' || block === undefined) {
    return rule.refuse('must count by IP and block with a response of its own');
  }
  const bodies = acl.object('CustomResponseBodies');
  const body = bodies?.object(block.string('CustomResponseBodyKey'));
  const contentType = CONTENT_TYPES[body?.string('ContentType') ?? ''];
  if (body === undefined || contentType === undefined) {
    return block.refuse('names no body of the web ACL', 'CustomResponseBodyKey');
  }
  return {
    limit: statement.number('Limit', 0),
    status: block.number('ResponseCode', 403),
    headers: [
      ...block
        .objects('ResponseHeaders')
        .flatMap((header) => [header.string('Name'), header.string('Value')]),
      'Content-Type',
      contentType,
    ],
    body: body.string('Content'),
  };
}

const WINDOW_MS = 300_000;
/** Requests are counted by this interval. */
const SLICE_MS = 10_000;

/** Counts requests by address. */
export class RateCounter {
  /** Requests by slice, by address. */
  private readonly counts = new Map<string, Map<number, number>>();
  private slice = 0;

  constructor(
    private readonly limit: number,
    private readonly now: () => number,
  ) {}

  /** Counts a request. Returns whether the address stays within the limit. */
  admits(address: string): boolean {
    const slice = Math.floor(this.now() / SLICE_MS);
    if (slice !== this.slice) this.forget(slice);
    const own = this.counts.get(address) ?? new Map<number, number>();
    this.counts.set(address, own);
    own.set(slice, (own.get(slice) ?? 0) + 1);
    return [...own.values()].reduce((sum, count) => sum + count, 0) <= this.limit;
  }

  private forget(slice: number): void {
    this.slice = slice;
    for (const [address, own] of this.counts) {
      for (const one of own.keys()) if (one <= slice - WINDOW_MS / SLICE_MS) own.delete(one);
      if (own.size === 0) this.counts.delete(address);
    }
  }
}
