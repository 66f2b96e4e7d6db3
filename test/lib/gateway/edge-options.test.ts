import { App, Aws, Stack } from 'aws-cdk-lib';
import { parseEnvironments } from '../../../bin/environments';
import { ObjectStorage } from '../../../lib';
import { type EdgeOptions, validateEdge } from '../../../lib/gateway/edge-options';

const WEB_ACL = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/name/id';
const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/abc';

// test/bin/settings.test.ts tries every option with values that are refused in us-east-1.
test.each<[EdgeOptions, string]>([
  [{}, Aws.REGION],
  [{ domainName: 'files.example.com', certificateArn }, 'eu-central-1'],
  [{ webAclArn: WEB_ACL }, Aws.REGION],
  [{ requestsPerFiveMinutes: false }, Aws.REGION],
  [{ requestsPerFiveMinutes: false, webAclArn: WEB_ACL }, 'eu-central-1'],
  [{ requestsPerFiveMinutes: 10 }, 'us-east-1'],
  [{ requestsPerFiveMinutes: 10 }, Aws.REGION],
  [{ domainName: Aws.STACK_NAME, certificateArn: Aws.STACK_ID }, Aws.REGION],
])('validateEdge accepts %j in %s', (options, region) => {
  expect(() => validateEdge(options, region)).not.toThrow();
});

test('an ObjectStorage refuses a limit of its own web ACL outside of us-east-1', () => {
  const env = { account: '123456789012', region: 'eu-central-1' };
  const stack = new Stack(new App(), 'test', { env });
  const edge = { requestsPerFiveMinutes: 100 };
  expect(() => new ObjectStorage(stack, 'Storage', { edge })).toThrow(
    'edge.requestsPerFiveMinutes needs a stack in us-east-1, this one is in eu-central-1: create the web ACL there and pass edge.webAclArn',
  );
});

test('a misspelt setting of edge is refused with the right one', () => {
  expect(() => parseEnvironments({ dev: { edge: { domain: 'x' } } })).toThrow(
    'environment dev: edge.domain is not a setting; did you mean domainName?',
  );
});
