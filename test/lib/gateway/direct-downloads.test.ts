/** edge.directDownloads: the origin, who may invoke it, and what needs it. */
import { App, Stack } from 'aws-cdk-lib';
import { ObjectStorage } from '../../../lib';
import { onlyOf, useBundles, useStorage, violations } from '../synthesize';

const OBJECTS = '/api/v2/storage/objects/*';

describe('edge.directDownloads', () => {
  const bundles = useBundles();
  const { template, stack, storage } = useStorage({ edge: { directDownloads: true } });
  const config = onlyOf(template, 'AWS::CloudFront::Distribution').DistributionConfig;
  const { CacheBehaviors, DefaultCacheBehavior, Origins } = config;
  const functionArn = stack.resolve(storage.functions.download.function.functionArn);

  test('gives the function download a URL that IAM protects, and that streams', () => {
    template.resourceCountIs('AWS::Lambda::Url', 1);
    template.hasResourceProperties('AWS::Lambda::Url', {
      AuthType: 'AWS_IAM',
      InvokeMode: 'RESPONSE_STREAM',
      TargetFunctionArn: functionArn,
    });
  });

  test('lets this distribution alone invoke it', () => {
    const permissions = Object.values(template.findResources('AWS::Lambda::Permission'))
      .map(({ Properties }) => Properties)
      .filter(({ Principal }) => Principal === 'cloudfront.amazonaws.com');
    expect(permissions.map(({ Action }) => Action).sort()).toEqual([
      'lambda:InvokeFunction',
      'lambda:InvokeFunctionUrl',
    ]);
    const { Ref } = stack.resolve(storage.edge?.distribution.distributionId);
    for (const { SourceArn } of permissions) expect(JSON.stringify(SourceArn)).toContain(Ref);
    template.hasResourceProperties('AWS::CloudFront::OriginAccessControl', {
      OriginAccessControlConfig: { SigningBehavior: 'always', SigningProtocol: 'sigv4' },
    });
  });

  test('serves the paths of objects as all others, but for the origin', () => {
    const objects = CacheBehaviors.find(
      ({ PathPattern }: { PathPattern: string }) => PathPattern === OBJECTS,
    );
    const { PathPattern, ...behavior } = objects;
    expect(behavior).toEqual({ ...DefaultCacheBehavior, TargetOriginId: 'download' });
    const [origin] = Origins.filter(({ Id }: { Id: string }) => Id === 'download');
    expect(origin).toMatchObject({ OriginAccessControlId: expect.anything() });
    expect(origin).not.toHaveProperty('OriginCustomHeaders');
  });

  test('has no finding of cdk-nag', () => {
    const { root } = stack.node;
    if (!(root instanceof App)) throw new Error('the root is no app');
    const ours = violations(root).filter(([, paths]) =>
      paths.some((one) => one?.startsWith('test/Storage/Edge/')),
    );
    expect(ours.map(([rule]) => rule)).toEqual([]);
  });

  test('is refused without response streaming', () => {
    const props = { bundles, responseStreaming: false, edge: { directDownloads: true } };
    expect(() => new ObjectStorage(new Stack(new App(), 'other'), 'Storage', props)).toThrow(
      'edge.directDownloads needs responseStreaming',
    );
  });
});
