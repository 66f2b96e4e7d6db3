/**
 * The rate-based rules of a distribution's web ACL. AWS WAF counts the last five minutes every few
 * seconds, so that it refuses later; the emulator refuses the first request above the limit.
 * https://docs.aws.amazon.com/waf/latest/developerguide/waf-rule-statement-type-rate-based.html
 */
import type { ResolvedStack } from '../../template/model';
import { Properties } from '../../template/properties';
import { resourcesOfType } from '../../template/resources';

export interface RateRuleModel {
  readonly limit: number;
  /** Whether a request with that path counts. */
  readonly matches: (path: string) => boolean;
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

/** By priority; none when `arn` names no web ACL of the stack. Throws UserError. */
export function readRateRules(
  stack: ResolvedStack,
  arn: string | undefined,
): readonly RateRuleModel[] {
  const resource = resourcesOfType(stack, 'AWS::WAFv2::WebACL').find((acl) => acl.arn === arn);
  if (resource === undefined) return [];
  const acl = new Properties(resource);
  if (acl.string('Scope') !== 'CLOUDFRONT') acl.refuse('must be CLOUDFRONT', 'Scope');
  if (!acl.object('DefaultAction')?.object('Allow')) acl.refuse('must be Allow', 'DefaultAction');
  const rules = acl.objects('Rules').map((rule) => ({
    priority: rule.number('Priority', 0),
    model: readRule(acl, rule),
  }));
  return rules.sort((a, b) => a.priority - b.priority).map(({ model }) => model);
}

function readRule(acl: Properties, rule: Properties): RateRuleModel {
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
    matches: readScope(statement),
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

/** Only a decoded path that begins with a text, or every path. */
function readScope(statement: Properties): RateRuleModel['matches'] {
  const scope = statement.object('ScopeDownStatement')?.only('ByteMatchStatement');
  const match = scope
    ?.object('ByteMatchStatement')
    ?.only('FieldToMatch', 'PositionalConstraint', 'SearchString', 'TextTransformations');
  if (match === undefined) return () => true;
  const [transformation, second] = match.objects('TextTransformations');
  const isEmulated =
    match.object('FieldToMatch')?.only('UriPath').object('UriPath') !== undefined &&
    match.string('PositionalConstraint') === 'STARTS_WITH' &&
    transformation?.string('Type') === 'URL_DECODE' &&
    second === undefined;
  if (!isEmulated) match.refuse('must match the beginning of the decoded UriPath');
  const beginning = match.string('SearchString');
  return (path) => decoded(path).startsWith(beginning);
}

/** Decodes percent-escapes as WAF does. Other text stays as it is. */
function decoded(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
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
