import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ObjectStorage } from '../../../lib';
import type { FunctionName } from '../../../lib/functions/service-function';
import {
  functionProperties,
  logicalId,
  onlyOf,
  type Synthesized,
  useApp,
  useBundles,
  useStorage,
} from '../synthesize';

const DISTRIBUTION = 'AWS::CloudFront::Distribution';
const CERTIFICATE = 'arn:aws:acm:us-east-1:123456789012:certificate/abc';
const WEB_ACL = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/name/id';

const configOf = (template: Template) => onlyOf(template, DISTRIBUTION).DistributionConfig;

function variablesOf(synthesized: Synthesized) {
  const variables = (name: FunctionName) =>
    functionProperties(synthesized, name).Environment.Variables;
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
        OriginCustomHeaders: expect.anything(),
        CustomOriginConfig: expect.objectContaining(overTls),
      },
      {
        Id: 'sync',
        DomainName: host({ Ref: logicalId(stack, storage.channelApi.webSocketApi) }),
        OriginPath: '/sync',
        OriginCustomHeaders: expect.anything(),
        CustomOriginConfig: expect.objectContaining(overTls),
      },
    ]);
  });

  test('waits longer than the timeout of any function', () => {
    const [rest] = configOf(template).Origins;
    expect(rest.CustomOriginConfig.OriginReadTimeout).toBeGreaterThan(29);
  });

  test('caches nothing, and forwards every method, header and parameter except Host', () => {
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

  test('keeps no error, neither by default nor for lack of Cache-Control', () => {
    const statuses = [404, 405, 414, 500, 501, 502, 503, 504];
    expect(configOf(template).CustomErrorResponses).toEqual(
      statuses.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
    );
  });

  test('runs one function before every request, and adds security headers to every response', () => {
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

  test('sends requests for the path of the channel to the WebSocket API', () => {
    const { CacheBehaviors, DefaultCacheBehavior } = configOf(template);
    expect(CacheBehaviors).toEqual([
      expect.objectContaining({ PathPattern: '/api/v2/storage/sync', TargetOriginId: 'sync' }),
    ]);
    expect(DefaultCacheBehavior.TargetOriginId).toBe('rest');
  });

  test('supports HTTP/2 and HTTP/3', () => {
    expect(configOf(template).HttpVersion).toBe('http2and3');
  });

  test('includes the region in the names of global resources', () => {
    const names = template.findResources('AWS::CloudFront::ResponseHeadersPolicy');
    expect(JSON.stringify(names)).toContain('"Ref":"AWS::Region"');
  });

  test('is the address in every function, in the user pool and in the outputs', () => {
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

  test('has no access logs by default', () => {
    expect(configOf(template)).not.toHaveProperty('Logging');
  });
});

describe('the edge with allowedOrigins', () => {
  const pages = ['https://app.example.com', 'http://localhost:3000'];
  const { template } = useStorage({ allowedOrigins: pages, edge: { directDownloads: true } });
  const policies = () => template.findResources('AWS::CloudFront::ResponseHeadersPolicy');
  const [cors = ''] = Object.entries(policies())
    .filter(([, { Properties }]) => Properties.ResponseHeadersPolicyConfig.CorsConfig)
    .map(([id]) => id);

  test('lets their pages read every response of the interface, and of nothing else', () => {
    const { CacheBehaviors, DefaultCacheBehavior } = configOf(template);
    const byPath = CacheBehaviors.map((behavior: Record<string, unknown>) => [
      behavior.PathPattern,
      behavior.TargetOriginId,
      JSON.stringify(behavior.ResponseHeadersPolicyId),
    ]);
    const policy = JSON.stringify({ Ref: cors });
    expect(byPath).toEqual([
      ['/api/v2/storage/sync', 'sync', policy],
      ['/api/v2/storage/objects/*', 'download', policy],
      ['/api/v2/storage/*', 'rest', policy],
    ]);
    expect(DefaultCacheBehavior.ResponseHeadersPolicyId).not.toEqual({ Ref: cors });
    expect(Object.keys(policies())).toHaveLength(2);
  });

  test('sends no credentials, and exposes headers of any name', () => {
    expect(policies()[cors]?.Properties.ResponseHeadersPolicyConfig.CorsConfig).toEqual({
      AccessControlAllowCredentials: false,
      AccessControlAllowHeaders: { Items: ['*'] },
      AccessControlAllowMethods: { Items: ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE'] },
      AccessControlAllowOrigins: { Items: pages },
      AccessControlExposeHeaders: { Items: ['*'] },
      OriginOverride: false,
    });
  });
});

describe('edge: false', () => {
  const synthesized = useStorage({ edge: false });
  const { stack, storage, template } = synthesized;

  test('creates no resource of CloudFront', () => {
    expect(storage.edge).toBeUndefined();
    expect(JSON.stringify(template.toJSON())).not.toMatch(/CloudFront/);
  });

  test('publishes the addresses of the two APIs themselves', () => {
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

describe('an edge with a domain name, a web ACL and logs', () => {
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

  test('configures the distribution with them, and requires TLS 1.2 or later', () => {
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

  test('uses the domain name in every URL of the service', () => {
    expect([storage.baseUrl, storage.syncUrl]).toEqual([
      'https://files.example.com/',
      'wss://files.example.com/api/v2/storage/sync',
    ]);
    template.hasResourceProperties('AWS::Cognito::UserPoolClient', {
      CallbackURLs: ['https://files.example.com/'],
    });
  });

  test('acknowledges only the rule on countries', () => {
    const acknowledged = JSON.stringify(storage.edge?.distribution.node.metadata);
    expect(acknowledged).toContain('AwsSolutions-CFR1');
    expect(acknowledged).not.toMatch(/AwsSolutions-CFR[234]/);
    const { violations } = new AwsSolutionsChecks(app).validateScope(app);
    expect(violations.filter(({ ruleName }) => ruleName.includes('CFR'))).toEqual([]);
  });
});

describe('the edge with every setting', () => {
  const { template } = useStorage({
    edge: { directDownloads: true },
    allowedOrigins: ['https://app.example.com'],
  });

  test('has what each flat-rate plan of CloudFront allows', () => {
    const { CacheBehaviors, DefaultCacheBehavior } = configOf(template);
    // The plan Free allows five behaviours and only cache policies of AWS; none has Lambda@Edge.
    const behaviors = [DefaultCacheBehavior, ...CacheBehaviors];
    expect(behaviors.length).toBeLessThanOrEqual(5);
    template.resourceCountIs('AWS::CloudFront::CachePolicy', 0);
    for (const behavior of behaviors) {
      expect(behavior).not.toHaveProperty('LambdaFunctionAssociations');
      expect(behavior).not.toHaveProperty('ForwardedValues');
    }
  });
});
