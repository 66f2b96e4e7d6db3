/** The web ACL of the edge: where the stack creates one, and what it refuses. */
import { Stack, type StackProps } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { type EdgeOptions, ObjectStorage } from '../../../lib';
import { onlyOf, useApp, useBundles } from '../synthesize';

const WEB_ACL = 'AWS::WAFv2::WebACL';
const FOREIGN = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/name/id';

/** Call it at the top of a describe block. */
function useEdge(env: StackProps['env'], edge?: EdgeOptions, allowedOrigins?: string[]) {
  const bundles = useBundles();
  const stack = new Stack(useApp(), 'test', { env });
  new ObjectStorage(stack, 'Storage', { bundles, edge, allowedOrigins });
  const template = Template.fromStack(stack);
  const [id] = Object.keys(template.findResources(WEB_ACL));
  const config = onlyOf(template, 'AWS::CloudFront::Distribution').DistributionConfig;
  const notes = Annotations.fromStack(stack)
    .findWarning('*', Match.stringLikeRegexp('web ACLs of CloudFront'))
    .map(({ entry }) => String(entry.data));
  return { template, id, used: config.WebACLId, notes };
}

const ofLinks = (Limit: number) =>
  Match.objectLike({
    Statement: {
      RateBasedStatement: {
        AggregateKeyType: 'IP',
        Limit,
        ScopeDownStatement: {
          ByteMatchStatement: {
            FieldToMatch: { UriPath: {} },
            PositionalConstraint: 'STARTS_WITH',
            SearchString: '/s/',
            TextTransformations: [{ Priority: 0, Type: 'URL_DECODE' }],
          },
        },
      },
    },
  });

const limitedTo = (Limit: number) =>
  Match.objectLike({
    Rules: [
      Match.objectLike({ Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit } } }),
      ofLinks(Math.min(Limit, 1000)),
    ],
  });

const REFUSED = Match.objectLike({
  Action: {
    Block: {
      CustomResponse: Match.objectLike({
        ResponseCode: 429,
        ResponseHeaders: [{ Name: 'Retry-After', Value: '60' }],
      }),
    },
  },
});

describe('a stack in us-east-1', () => {
  const { template, id, used, notes } = useEdge({ region: 'us-east-1' });

  test('has a web ACL by default, which counts by address, and the openings of links apart', () => {
    expect(used).toEqual({ 'Fn::GetAtt': [id, 'Arn'] });
    template.hasResourceProperties(WEB_ACL, limitedTo(100_000));
    expect(notes).toEqual([]);
  });

  test('refuses in the format of the interface', () => {
    template.hasResourceProperties(WEB_ACL, {
      Scope: 'CLOUDFRONT',
      DefaultAction: { Allow: {} },
      Rules: [REFUSED, REFUSED],
    });
    const bodies = onlyOf(template, WEB_ACL).CustomResponseBodies;
    expect(JSON.parse(bodies['rate-limited'].Content).error).toEqual({
      code: 'rate_limited',
      message: expect.stringContaining('Retry-After'),
      request_id: expect.any(String),
    });
  });
});

describe('allowedOrigins', () => {
  const pages = ['https://app.example.com'];
  const { template } = useEdge({ region: 'us-east-1' }, undefined, pages);

  test('let pages read a refusal of the web ACL', () => {
    const ResponseHeaders = [
      { Name: 'Retry-After', Value: '60' },
      { Name: 'Access-Control-Allow-Origin', Value: '*' },
      { Name: 'Access-Control-Expose-Headers', Value: '*' },
    ];
    const refused = Match.objectLike({
      Action: { Block: { CustomResponse: Match.objectLike({ ResponseHeaders }) } },
    });
    template.hasResourceProperties(WEB_ACL, { Rules: [refused, refused] });
  });
});

describe('a stack without a region', () => {
  const { template, id, used, notes } = useEdge(undefined);

  test('has a web ACL when it is deployed in us-east-1, and can be deployed anywhere', () => {
    const [[condition, expression] = []] = Object.entries(template.findConditions('*'));
    expect(expression).toEqual({ 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'us-east-1'] });
    template.hasResource(WEB_ACL, { Condition: condition });
    const none = { Ref: 'AWS::NoValue' };
    expect(used).toEqual({ 'Fn::If': [condition, { 'Fn::GetAtt': [id, 'Arn'] }, none] });
    expect(notes).toEqual([expect.stringContaining('only if the stack is deployed there')]);
  });
});

describe('a stack in another region', () => {
  const { template, used, notes } = useEdge({ region: 'eu-central-1' });

  test('has no web ACL, and a note that says how to get one', () => {
    template.resourceCountIs(WEB_ACL, 0);
    expect(used).toBeUndefined();
    expect(notes).toEqual([expect.stringMatching(/in eu-central-1.*edge\.webAclArn/)]);
  });
});

describe('requestsPerFiveMinutes', () => {
  const limited = useEdge({ region: 'us-east-1' }, { requestsPerFiveMinutes: 2000 });
  const unlimited = useEdge({ region: 'us-east-1' }, { requestsPerFiveMinutes: false });
  const lower = useEdge({ region: 'us-east-1' }, { requestsPerFiveMinutes: 100 });
  const foreign = useEdge(undefined, { webAclArn: FOREIGN });

  test('sets the limit', () => {
    limited.template.hasResourceProperties(WEB_ACL, limitedTo(2000));
    lower.template.hasResourceProperties(WEB_ACL, limitedTo(100));
  });

  test('creates no web ACL when it is false, and none beside webAclArn', () => {
    for (const { template, notes } of [unlimited, foreign]) {
      template.resourceCountIs(WEB_ACL, 0);
      expect(notes).toEqual([]);
    }
    expect([unlimited.used, foreign.used]).toEqual([undefined, FOREIGN]);
  });
});
