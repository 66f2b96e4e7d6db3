import { App, Aws, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import { parseEnvironments } from '../../../bin/environments';
import { ObjectStorage, type ObjectStorageProps } from '../../../lib';
import { type EdgeOptions, validateEdge } from '../../../lib/gateway/edge-options';
import { logicalId, useApp, useBundles, useStorage } from '../synthesize';

const DISTRIBUTION = 'AWS::CloudFront::Distribution';
const CERTIFICATE = 'arn:aws:acm:us-east-1:123456789012:certificate/abc';
const WEB_ACL = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/name/id';

function configOf(template: Template) {
  const [distribution] = Object.values(template.findResources(DISTRIBUTION));
  return distribution?.Properties.DistributionConfig;
}

function variablesOf({ stack, storage, template }: ReturnType<typeof useStorage>) {
  const variables = (name: 'api' | 'admin' | 'channel' | 'site') =>
    template.toJSON().Resources[logicalId(stack, storage.functions[name].function)].Properties
      .Environment.Variables;
  return {
    syncUrls: [variables('api').SYNC_URL, variables('admin').SYNC_URL],
    allowedOrigins: variables('channel').ALLOWED_ORIGINS,
    siteConnectsTo: variables('site').SITE_CONNECTS_TO,
  };
}

describe('the edge with default settings', () => {
  const synthesized = useStorage();
  const { stack, storage, template } = synthesized;
  const domain = stack.resolve(storage.edge?.distribution.distributionDomainName);
  const behaviors = () => {
    const { CacheBehaviors, DefaultCacheBehavior } = configOf(template);
    return [...CacheBehaviors, DefaultCacheBehavior];
  };

  test('has the two stages as origins, over TLS 1.2', () => {
    const host = (api: unknown) => ({
      'Fn::Join': [
        '',
        [api, '.execute-api.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }],
      ],
    });
    const overTls = { OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] };
    expect(configOf(template).Origins).toEqual([
      {
        Id: 'rest',
        DomainName: host({ Ref: logicalId(stack, storage.api.restApi) }),
        OriginPath: '/api',
        CustomOriginConfig: expect.objectContaining(overTls),
      },
      {
        Id: 'sync',
        DomainName: host({ Ref: logicalId(stack, storage.channelApi.webSocketApi) }),
        OriginPath: '/sync',
        CustomOriginConfig: expect.objectContaining(overTls),
      },
    ]);
  });

  test('waits longer than any function may think', () => {
    const [rest] = configOf(template).Origins;
    expect(rest.CustomOriginConfig.OriginReadTimeout).toBeGreaterThan(29);
  });

  test('keeps nothing, and forwards every method, header and parameter but Host', () => {
    expect(behaviors()).toHaveLength(2);
    for (const behavior of behaviors()) {
      expect(behavior).toMatchObject({
        AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
        // CachingDisabled, AllViewerExceptHostHeader
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
        ViewerProtocolPolicy: 'https-only',
        Compress: false,
      });
    }
  });

  test('runs one function before every request, and adds security headers to every answer', () => {
    const [functions, policies] = ['Function', 'ResponseHeadersPolicy'].map((type) =>
      Object.keys(template.findResources(`AWS::CloudFront::${type}`)),
    );
    expect([functions, policies]).toEqual([[expect.anything()], [expect.anything()]]);
    for (const behavior of behaviors()) {
      expect(behavior.FunctionAssociations).toEqual([
        {
          EventType: 'viewer-request',
          FunctionARN: { 'Fn::GetAtt': [functions?.[0], 'FunctionARN'] },
        },
      ]);
      expect(behavior.ResponseHeadersPolicyId).toEqual({ Ref: policies?.[0] });
    }
  });

  test('gives the path of the channel to the channel', () => {
    const { CacheBehaviors, DefaultCacheBehavior } = configOf(template);
    expect(CacheBehaviors).toEqual([
      expect.objectContaining({ PathPattern: '/api/v2/storage/sync', TargetOriginId: 'sync' }),
    ]);
    expect(DefaultCacheBehavior.TargetOriginId).toBe('rest');
  });

  test('speaks HTTP/2 and HTTP/3', () => {
    expect(configOf(template).HttpVersion).toBe('http2and3');
  });

  test('names what is global by the region too', () => {
    const names = template.findResources('AWS::CloudFront::ResponseHeadersPolicy');
    expect(JSON.stringify(names)).toContain('"Ref":"AWS::Region"');
  });

  test('is the address that everybody is told', () => {
    const { syncUrls, allowedOrigins, siteConnectsTo } = variablesOf(synthesized);
    const url = { 'Fn::Join': ['', ['wss://', domain, '/api/v2/storage/sync']] };
    expect(syncUrls).toEqual([url, url]);
    expect(allowedOrigins).toEqual({ 'Fn::Join': ['', ['["https://', domain, '"]']] });
    const parts: unknown[] = siteConnectsTo['Fn::Join'][1];
    expect(parts).toContainEqual(domain);
    expect(JSON.stringify(parts)).not.toContain('.execute-api.');
    const page = { 'Fn::Join': ['', ['https://', domain, '/']] };
    template.hasResourceProperties('AWS::Cognito::UserPoolClient', {
      CallbackURLs: [page],
      LogoutURLs: [page],
    });
    expect(stack.resolve([storage.baseUrl, storage.syncUrl])).toEqual([page, url]);
  });

  test('logs nothing and filters nothing unless asked to', () => {
    expect(configOf(template)).not.toHaveProperty('Logging');
    expect(configOf(template)).not.toHaveProperty('WebACLId');
    template.resourceCountIs('AWS::WAFv2::WebACL', 0);
  });
});

describe('edge: false', () => {
  const synthesized = useStorage({ edge: false });
  const { stack, storage, template } = synthesized;

  test('leaves CloudFront out', () => {
    expect(storage.edge).toBeUndefined();
    expect(JSON.stringify(template.toJSON())).not.toMatch(/CloudFront/);
  });

  test('leaves the two APIs at their own addresses', () => {
    const { syncUrls, allowedOrigins, siteConnectsTo } = variablesOf(synthesized);
    const url = stack.resolve(storage.channelApi.url);
    expect(syncUrls).toEqual([url, url]);
    expect(JSON.stringify(allowedOrigins)).toContain(logicalId(stack, storage.api.restApi));
    expect(JSON.stringify(siteConnectsTo)).toContain(
      logicalId(stack, storage.channelApi.webSocketApi),
    );
    template.hasResourceProperties('AWS::Cognito::UserPoolClient', {
      CallbackURLs: [stack.resolve(storage.api.address)],
    });
    expect(stack.resolve(storage.baseUrl)).toEqual(stack.resolve(storage.api.address));
  });
});

describe('a domain of your own, a web ACL and logs', () => {
  const bundles = useBundles();
  const app = useApp();
  const stack = new Stack(app, 'test', { env: { region: 'eu-central-1' } });
  const storage = new ObjectStorage(stack, 'Storage', {
    bundles,
    edge: {
      domainName: 'files.example.com',
      certificateArn: CERTIFICATE,
      webAclArn: WEB_ACL,
      logBucket: s3.Bucket.fromBucketName(stack, 'Logs', 'edge-logs'),
    },
  });
  const template = Template.fromStack(stack);

  test('are those of the distribution, with TLS 1.2 or later', () => {
    expect(configOf(template)).toMatchObject({
      Aliases: ['files.example.com'],
      ViewerCertificate: {
        AcmCertificateArn: CERTIFICATE,
        MinimumProtocolVersion: 'TLSv1.2_2021',
        SslSupportMethod: 'sni-only',
      },
      WebACLId: WEB_ACL,
      Logging: { Bucket: expect.anything() },
    });
  });

  test('name the service everywhere', () => {
    expect([storage.baseUrl, storage.syncUrl]).toEqual([
      'https://files.example.com/',
      'wss://files.example.com/api/v2/storage/sync',
    ]);
    template.hasResourceProperties('AWS::Cognito::UserPoolClient', {
      CallbackURLs: ['https://files.example.com/'],
    });
  });

  test('leave only the question of countries to acknowledge', () => {
    const acknowledged = JSON.stringify(storage.edge?.distribution.node.metadata);
    expect(acknowledged).toContain('AwsSolutions-CFR1');
    expect(acknowledged).not.toMatch(/AwsSolutions-CFR[234]/);
    const { violations } = new AwsSolutionsChecks(app).validateScope(app);
    expect(violations.filter(({ ruleName }) => ruleName.includes('CFR'))).toEqual([]);
  });
});

describe('requestsPerFiveMinutes', () => {
  const bundles = useBundles();
  const stack = new Stack(useApp(), 'test', { env: { region: 'us-east-1' } });
  const props: ObjectStorageProps = { bundles, edge: { requestsPerFiveMinutes: 2000 } };
  new ObjectStorage(stack, 'Storage', props);
  const template = Template.fromStack(stack);

  test('makes a web ACL that counts by address, and answers in our shape', () => {
    const [id] = Object.keys(template.findResources('AWS::WAFv2::WebACL'));
    expect(configOf(template).WebACLId).toEqual({ 'Fn::GetAtt': [id, 'Arn'] });
    template.hasResourceProperties('AWS::WAFv2::WebACL', {
      Scope: 'CLOUDFRONT',
      DefaultAction: { Allow: {} },
      Rules: [
        Match.objectLike({
          Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit: 2000 } },
          Action: {
            Block: {
              CustomResponse: Match.objectLike({
                ResponseCode: 429,
                ResponseHeaders: [{ Name: 'Retry-After', Value: '60' }],
              }),
            },
          },
        }),
      ],
    });
    const [acl] = Object.values(template.findResources('AWS::WAFv2::WebACL'));
    const bodies = acl?.Properties.CustomResponseBodies;
    expect(JSON.parse(bodies['rate-limited'].Content).error).toEqual({
      code: 'rate_limited',
      message: expect.stringContaining('Retry-After'),
      request_id: expect.any(String),
    });
  });
});

describe('edge', () => {
  const certificateArn = CERTIFICATE;
  test.each<[EdgeOptions, string, RegExp]>([
    [
      { domainName: 'files.example.com' },
      'us-east-1',
      /^edge.domainName needs edge.certificateArn/,
    ],
    [{ certificateArn }, 'us-east-1', /^edge.certificateArn needs edge.domainName: set both/],
    [
      { domainName: 'https://files.example.com', certificateArn },
      'us-east-1',
      /^edge.domainName must be a domain name in lower case such as 'files.example.com', got 'https:/,
    ],
    [
      { domainName: 'Files.example.com', certificateArn },
      'us-east-1',
      /^edge.domainName must be a domain name/,
    ],
    [
      {
        domainName: 'files.example.com',
        certificateArn: CERTIFICATE.replace('us-east-1', 'eu-central-1'),
      },
      'eu-central-1',
      /^edge.certificateArn must be an ARN in us-east-1, the only region that CloudFront can use, got/,
    ],
    [
      { webAclArn: WEB_ACL.replace('global', 'regional') },
      'us-east-1',
      /^edge.webAclArn must be an ARN in us-east-1, the only region that CloudFront can use, got/,
    ],
    [
      { webAclArn: WEB_ACL, requestsPerFiveMinutes: 100 },
      'us-east-1',
      /^edge.requestsPerFiveMinutes and edge.webAclArn exclude each other: add a rate rule to your web ACL/,
    ],
    [
      { requestsPerFiveMinutes: 100 },
      'eu-central-1',
      /^edge.requestsPerFiveMinutes needs a stack in us-east-1, this one is in eu-central-1: set .* or create the web ACL there and pass edge.webAclArn$/,
    ],
    [{ requestsPerFiveMinutes: 100 }, Aws.REGION, /this one is without a region: set the stack's/],
    [{ requestsPerFiveMinutes: 9 }, 'us-east-1', /must be a whole number from 10 to .* got 9$/],
    [{ requestsPerFiveMinutes: 10.5 }, 'us-east-1', /must be a whole number from 10 to/],
  ])('%j in %s is refused', (options, region, message) => {
    expect(() => validateEdge(options, region)).toThrow(message);
  });

  test.each<[EdgeOptions, string]>([
    [{}, Aws.REGION],
    [{ domainName: 'files.example.com', certificateArn }, 'eu-central-1'],
    [{ webAclArn: WEB_ACL }, Aws.REGION],
    [{ requestsPerFiveMinutes: 10 }, 'us-east-1'],
    [{ domainName: Aws.STACK_NAME, certificateArn: Aws.STACK_ID }, Aws.REGION],
  ])('%j in %s is good', (options, region) => {
    expect(() => validateEdge(options, region)).not.toThrow();
  });

  test('is validated before anything is synthesized', () => {
    const stack = new Stack(new App(), 'test');
    const edge = { requestsPerFiveMinutes: 100 };
    expect(() => new ObjectStorage(stack, 'Storage', { edge })).toThrow(/needs a stack in/);
  });
});

describe('the setting of an environment', () => {
  const edgeOf = (edge: unknown) => parseEnvironments({ dev: { edge } })[0]?.props.storage?.edge;

  test('is false, or what a deployer decides', () => {
    expect(edgeOf(false)).toBe(false);
    expect(edgeOf(undefined)).toBeUndefined();
    const edge = { domainName: 'files.example.com', certificateArn: CERTIFICATE };
    expect(edgeOf(edge)).toEqual(edge);
  });

  test.each<[unknown, RegExp]>([
    [true, /^environment dev: edge must be an object or false, got true$/],
    [
      { domain: 'x' },
      /^environment dev: edge.domain is not a setting, did you mean domainName\?; settings are domainName, certi/,
    ],
    [{ domainName: 1 }, /^environment dev: edge.domainName must be a string, got 1$/],
  ])('%j is refused', (edge, message) => {
    expect(() => edgeOf(edge)).toThrow(message);
  });
});
