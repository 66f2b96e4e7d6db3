/**
 * The emulator runs a stack with a distribution: one address, and the code of the product's
 * viewer-request function before every request and handshake.
 */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import WebSocket from 'ws';
import { UserError } from '../../emulator/src/errors/user-error';
import { startLocal } from '../../emulator/src/runtime/runtime';
import { BEHAVIOR, HEADERS_CONFIG } from '../../emulator/test/edge/stack';
import { writeCdkOut } from '../../emulator/test/runtime/cdk-out';
import { websocketTemplate } from '../../emulator/test/runtime/websocket-template';
import { afterTest, useFolder } from '../../emulator/test/support/clean-up';
import { SYNC_PATH, viewerRequestCode } from '../../lib/gateway/edge-function';

function template(restPath: string) {
  const { Resources, Outputs } = websocketTemplate();
  const origin = (Id: string, api: string, OriginPath: string) => ({
    Id,
    DomainName: {
      'Fn::Sub': `\${${api}}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}`,
    },
    OriginPath,
    CustomOriginConfig: { OriginProtocolPolicy: 'https-only' },
  });
  const behavior = {
    ...BEHAVIOR,
    FunctionAssociations: [
      {
        EventType: 'viewer-request',
        FunctionARN: { 'Fn::GetAtt': ['ViewerRequest', 'FunctionARN'] },
      },
    ],
    ResponseHeadersPolicyId: { Ref: 'Headers' },
  };
  const domain = { 'Fn::GetAtt': ['Distribution', 'DomainName'] };
  return {
    Resources: {
      ...Resources,
      ViewerRequest: {
        Type: 'AWS::CloudFront::Function',
        Properties: {
          AutoPublish: true,
          FunctionCode: viewerRequestCode(),
          FunctionConfig: { Runtime: 'cloudfront-js-2.0', Comment: '' },
          Name: 'viewer-request',
        },
      },
      Headers: {
        Type: 'AWS::CloudFront::ResponseHeadersPolicy',
        Properties: { ResponseHeadersPolicyConfig: HEADERS_CONFIG },
      },
      Distribution: {
        Type: 'AWS::CloudFront::Distribution',
        Properties: {
          DistributionConfig: {
            Enabled: true,
            Aliases: ['files.example.com'],
            DefaultCacheBehavior: behavior,
            CacheBehaviors: [{ ...behavior, PathPattern: SYNC_PATH, TargetOriginId: 'sync' }],
            Origins: [origin('rest', 'Rest', restPath), origin('sync', 'Api2', '/sync')],
          },
        },
      },
    },
    Outputs: {
      ...Outputs,
      BaseUrl: { Value: { 'Fn::Join': ['', ['https://', domain, '/']] } },
      SyncUrl: { Value: { 'Fn::Join': ['', ['wss://', domain, SYNC_PATH]] } },
      Alias: { Value: 'https://files.example.com/' },
    },
  };
}

async function useRuntime(restPath = '/api') {
  const folder = useFolder();
  const cdkOut = join(folder, 'cdk.out');
  mkdirSync(cdkOut);
  writeCdkOut(cdkOut, template(restPath));
  const ports = { port: 0, s3Port: 0, dynamodbPort: 0 };
  const runtime = await startLocal({
    cdkOut,
    dataDir: join(folder, 'data'),
    websocket: { path: SYNC_PATH },
    ...ports,
  });
  afterTest(() => runtime.stop());
  return runtime;
}

async function refusal(url: string, headers = {}) {
  const client = new WebSocket(url, { headers });
  client.on('error', () => {});
  afterTest(() => client.terminate());
  const [, response] = await once(client, 'unexpected-response');
  return response.statusCode;
}

test('the stack serves requests and handshakes at one address, which the outputs name', async () => {
  const { baseUrl, outputs, websocketUrl: syncUrl = '' } = await useRuntime();
  expect(syncUrl).toBe(`${baseUrl.replace('http', 'ws')}${SYNC_PATH}`);
  expect(outputs).toMatchObject({ BaseUrl: `${baseUrl}/`, Alias: `${baseUrl}/`, SyncUrl: syncUrl });

  const client = new WebSocket(`${syncUrl}?bucket=a`, { headers: { Authorization: 'Bearer x' } });
  afterTest(() => client.terminate());
  await once(client, 'open');

  const page = await fetch(`${baseUrl}${SYNC_PATH}`);
  expect(await page.json()).toEqual({ message: 'Missing Authentication Token' });
  expect(page.headers.get('x-frame-options')).toBe('DENY');

  // Without a key, on another path, and with a body.
  expect(await refusal(syncUrl)).toBe(401);
  expect(await refusal(syncUrl.replace('/sync', '/%73ync'))).toBe(403);
  expect(await refusal(syncUrl.replace(SYNC_PATH, '/'))).toBe(403);
  expect(await refusal(`${syncUrl}/`)).toBe(403);
  expect(await refusal(syncUrl, { 'Content-Length': '1' })).toBe(403);
});

test('the emulator refuses at start an origin that is not a stage of the stack', async () => {
  const message =
    /^origin rest of the distribution is https:.*\/other: only https:.* are supported$/;
  await expect(useRuntime('/other')).rejects.toThrow(message);
  await expect(useRuntime('/other')).rejects.toThrow(UserError);
});
