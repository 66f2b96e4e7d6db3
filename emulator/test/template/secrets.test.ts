/** Secrets of a stack, and references to them. */
import { resolveStack } from '../../src/template/resolve-stack';

const reference = (logicalId: string) => ({
  'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: logicalId }, ':SecretString:::}}']],
});

function resolved(secret: object, value: unknown = reference('Secret')) {
  const template = {
    Resources: {
      Secret: { Type: 'AWS::SecretsManager::Secret', Properties: secret },
      One: { Type: 'AWS::S3::Bucket', Properties: { Tags: value } },
      Two: { Type: 'AWS::S3::Bucket', Properties: { Tags: value } },
    },
  };
  const { resources } = resolveStack({ stackName: 'app', template, assetPath: (key) => key });
  return ['One', 'Two'].map((id) => resources.get(id)?.properties.Tags);
}

const GenerateSecretString = { PasswordLength: 43, ExcludePunctuation: true };

test('a generated secret has the length, and one value in the whole stack', () => {
  const [one, two] = resolved({ GenerateSecretString });
  expect(one).toMatch(/^[A-Za-z0-9]{43}$/);
  expect(two).toBe(one);
  expect(resolved({ GenerateSecretString })[0]).not.toBe(one);
});

const OWN = reference('Secret');

test.each<[string, object, unknown]>([
  ['is missing', { SecretString: 'plain' }, OWN],
  ['ExcludePunctuation must be true', { GenerateSecretString: { PasswordLength: 43 } }, OWN],
  [
    'dynamic references are not supported',
    { GenerateSecretString },
    '{{resolve:secretsmanager:arn:aws:secretsmanager:us-east-1:000000000000:secret:other:SecretString:::}}',
  ],
])('refuses a secret: %s', (message, secret, value) => {
  expect(() => resolved(secret, value)).toThrow(message);
});
