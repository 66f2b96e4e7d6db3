import { BASE, type Resources } from '../rest-api/stack';

/** The smallest function: everything leaves for `rest`. */
export const PASS = `import cf from 'cloudfront';
function handler(event) {
  cf.selectRequestOriginById('rest');
  return event.request;
}
`;

const origin = (Id: string, api: string, OriginPath: string) => ({
  Id,
  DomainName: `${api}.execute-api.us-east-1.amazonaws.com`,
  OriginPath,
  CustomOriginConfig: { OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] },
});

export const BEHAVIOR = {
  AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
  CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
  Compress: false,
  FunctionAssociations: [{ EventType: 'viewer-request', FunctionARN: 'ViewerRequest' }],
  OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
  ResponseHeadersPolicyId: 'Headers',
  TargetOriginId: 'rest',
  ViewerProtocolPolicy: 'https-only',
};

export const CONFIG = {
  Enabled: true,
  DefaultCacheBehavior: BEHAVIOR,
  CacheBehaviors: [{ ...BEHAVIOR, PathPattern: '/open/sync', TargetOriginId: 'sync' }],
  Origins: [origin('rest', 'api123', '/v1'), origin('sync', 'ws123', '/sync')],
};

const override = { Override: true };

export const HEADERS_CONFIG = {
  Name: 'headers',
  SecurityHeadersConfig: {
    ContentSecurityPolicy: { ContentSecurityPolicy: "default-src 'none'", Override: false },
    ContentTypeOptions: override,
    FrameOptions: { FrameOption: 'DENY', ...override },
    ReferrerPolicy: { ReferrerPolicy: 'no-referrer', ...override },
    StrictTransportSecurity: { AccessControlMaxAgeSec: 31536000, ...override },
  },
};

interface Parts {
  readonly code?: string;
  /** Of the function's properties. */
  readonly more?: Record<string, unknown>;
  readonly config?: Record<string, unknown>;
  readonly headers?: Record<string, unknown>;
}

/** BASE of the REST API behind a distribution. */
export function behindEdge({ code = PASS, more = {}, config, headers }: Parts = {}): Resources {
  return {
    ...BASE,
    ViewerRequest: {
      Type: 'AWS::CloudFront::Function',
      Properties: {
        AutoPublish: true,
        FunctionCode: code,
        FunctionConfig: { Runtime: 'cloudfront-js-2.0', Comment: '' },
        Name: 'viewer-request',
        ...more,
      },
    },
    Headers: {
      Type: 'AWS::CloudFront::ResponseHeadersPolicy',
      Properties: { ResponseHeadersPolicyConfig: { ...HEADERS_CONFIG, ...headers } },
    },
    Distribution: {
      Type: 'AWS::CloudFront::Distribution',
      Properties: { DistributionConfig: { ...CONFIG, ...config } },
    },
  };
}
