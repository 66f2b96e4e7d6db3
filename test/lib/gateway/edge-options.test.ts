import { App, Aws, Stack } from 'aws-cdk-lib';
import { parseEnvironments } from '../../../bin/environments';
import { ObjectStorage } from '../../../lib';
import { type EdgeOptions, validateEdge } from '../../../lib/gateway/edge-options';

const CERTIFICATE = 'arn:aws:acm:us-east-1:123456789012:certificate/abc';
const WEB_ACL = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/name/id';

describe('validateEdge', () => {
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
      /^edge.requestsPerFiveMinutes needs a stack in us-east-1, this one is in eu-central-1: create the web ACL there and pass edge.webAclArn$/,
    ],
    [{ requestsPerFiveMinutes: 9 }, 'us-east-1', /must be a whole number from 10 to .* got 9$/],
    [{ originSecretVersion: 0 }, 'us-east-1', /originSecretVersion must be a whole number from 1/],
    [{ originSecretVersion: 1.5 }, 'us-east-1', /originSecretVersion must be .* got 1\.5$/],
    [{ requestsPerFiveMinutes: 10.5 }, 'us-east-1', /must be a whole number from 10 to/],
  ])('refuses %j in %s', (options, region, message) => {
    expect(() => validateEdge(options, region)).toThrow(message);
  });

  test.each<[EdgeOptions, string]>([
    [{}, Aws.REGION],
    [{ domainName: 'files.example.com', certificateArn }, 'eu-central-1'],
    [{ webAclArn: WEB_ACL }, Aws.REGION],
    [{ requestsPerFiveMinutes: false }, Aws.REGION],
    [{ requestsPerFiveMinutes: false, webAclArn: WEB_ACL }, 'eu-central-1'],
    [{ requestsPerFiveMinutes: 10 }, 'us-east-1'],
    [{ requestsPerFiveMinutes: 10 }, Aws.REGION],
    [{ domainName: Aws.STACK_NAME, certificateArn: Aws.STACK_ID }, Aws.REGION],
  ])('accepts %j in %s', (options, region) => {
    expect(() => validateEdge(options, region)).not.toThrow();
  });

  test('runs when the construct is created', () => {
    const env = { account: '123456789012', region: 'eu-central-1' };
    const stack = new Stack(new App(), 'test', { env });
    const edge = { requestsPerFiveMinutes: 100 };
    expect(() => new ObjectStorage(stack, 'Storage', { edge })).toThrow(/needs a stack in/);
  });
});

describe('the setting edge of an environment', () => {
  const edgeOf = (edge: unknown) => parseEnvironments({ dev: { edge } })[0]?.props.storage?.edge;

  test('accepts false and an object', () => {
    expect(edgeOf(false)).toBe(false);
    expect(edgeOf(undefined)).toBeUndefined();
    const edge = { domainName: 'files.example.com', certificateArn: CERTIFICATE };
    expect(edgeOf(edge)).toEqual(edge);
  });

  test.each<[unknown, RegExp]>([
    [true, /^environment dev: edge must be an object or false, got true$/],
    [{ domain: 'x' }, /^environment dev: edge.domain is not a setting; did you mean domainName\?$/],
    [{ domainName: 1 }, /^environment dev: edge.domainName must be a string, got 1$/],
  ])('refuses %j', (edge, message) => {
    expect(() => edgeOf(edge)).toThrow(message);
  });
});
