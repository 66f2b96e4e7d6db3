/** The secret by which both APIs recognize the distribution. */
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ObjectStorage } from '../../../lib';
import {
  functionProperties,
  logicalId,
  onlyOf,
  type Synthesized,
  useApp,
  useBundles,
  useStorage,
} from '../synthesize';

const SECRET = 'AWS::SecretsManager::Secret';

/** The numbers of the versions that a value of the template refers to. */
const versionsIn = (value: unknown): readonly number[] =>
  [...JSON.stringify(value).matchAll(/StorageOriginSecretVersion(\d+?)[0-9A-F]{8}\b/g)].map(
    ([, n]) => Number(n),
  );

function secretsOf(synthesized: Synthesized) {
  const { template } = synthesized;
  const { Origins } = onlyOf(template, 'AWS::CloudFront::Distribution').DistributionConfig;
  const { Policy } = onlyOf(template, 'AWS::ApiGateway::RestApi');
  const { ORIGIN_SECRETS } = functionProperties(synthesized, 'channel').Environment.Variables;
  return {
    headers: Origins.map((origin: Record<string, unknown>) => origin.OriginCustomHeaders),
    sent: versionsIn(Origins),
    policy: Policy,
    byApi: versionsIn(Policy),
    byChannel: versionsIn(ORIGIN_SECRETS),
  };
}

describe('the secret of the edge', () => {
  const synthesized = useStorage();
  const { stack, storage, template } = synthesized;

  test('is sent to both origins, and accepted by both APIs', () => {
    const { headers, sent, byApi, byChannel } = secretsOf(synthesized);
    expect(headers).toHaveLength(2);
    for (const [header, ...others] of headers) {
      expect(others).toEqual([]);
      expect(header.HeaderName).toBe('Referer');
    }
    expect([sent, byApi, byChannel]).toEqual([[1, 1], [1], [1]]);
  });

  test('denies other requests to the REST API, whatever authorizes them', () => {
    const { policy } = secretsOf(synthesized);
    const every = {
      Principal: { AWS: '*' },
      Action: 'execute-api:Invoke',
      Resource: 'execute-api:/*',
    };
    expect(policy.Statement).toEqual([
      { ...every, Effect: 'Allow' },
      {
        ...every,
        Effect: 'Deny',
        Condition: { StringNotEquals: { 'aws:Referer': [expect.anything()] } },
      },
    ]);
  });

  test('is made up by Secrets Manager, and stands in the template as a reference only', () => {
    template.resourceCountIs(SECRET, 1);
    for (const { Properties } of Object.values(template.findResources(SECRET))) {
      expect(Properties).not.toHaveProperty('SecretString');
      expect(Properties.GenerateSecretString).toEqual({
        ExcludePunctuation: true,
        PasswordLength: 43,
      });
    }
    const { headers } = secretsOf(synthesized);
    expect(JSON.stringify(headers)).toContain('{{resolve:secretsmanager:');
  });

  test('is required only after the distribution sends it', () => {
    const { Resources } = template.toJSON();
    const edge = storage.edge?.distribution;
    if (edge === undefined) throw new Error('no edge');
    for (const part of [storage.api.restApi.deploymentStage, storage.functions.channel.function]) {
      expect(Resources[logicalId(stack, part)].DependsOn).toContain(logicalId(stack, edge));
    }
  });
});

describe('a rotation of the secret of the edge', () => {
  const before = useStorage({ edge: { originSecretVersion: 4 } });
  const prepared = useStorage({ edge: { originSecretVersion: 4, acceptNextOriginSecret: true } });
  const after = useStorage({ edge: { originSecretVersion: 5 } });

  test('sends a secret only when both APIs accepted it in the deployment before', () => {
    const accepted = [before, prepared, after].map(secretsOf).map(({ sent, byApi, byChannel }) => {
      expect(byChannel).toEqual(byApi);
      return [sent, byApi];
    });
    expect(accepted).toEqual([
      [[4, 4], [4]],
      [
        [4, 4],
        [4, 5],
      ],
      [[5, 5], [5]],
    ]);
  });

  test('deploys the REST API again, without which its policy has no effect', () => {
    const deployments = [prepared, after].map(({ template }) =>
      Object.keys(template.findResources('AWS::ApiGateway::Deployment')),
    );
    expect(deployments[0]).not.toEqual(deployments[1]);
  });
});

describe('a stack without an edge', () => {
  const bundles = useBundles();
  const stack = new Stack(useApp(), 'test');
  new ObjectStorage(stack, 'Storage', { bundles, edge: false });
  const template = Template.fromStack(stack);

  test('has no secret, and a policy that allows every request', () => {
    template.resourceCountIs(SECRET, 0);
    const [statement, ...others] = onlyOf(template, 'AWS::ApiGateway::RestApi').Policy.Statement;
    expect([statement.Effect, statement.Condition, others]).toEqual(['Allow', undefined, []]);
  });
});
