import { SignatureV4 } from '@smithy/signature-v4';
import { allowAll } from '../../src/iam/allow-all';
import type { Credentials } from '../../src/iam/iam';
import { Authenticator, type SignedRequest } from '../../src/iam/signature';
import { createStackIam } from '../../src/iam/stack-iam';
import { resolveStack } from '../../src/template/resolve-stack';
import { NodeSha256 } from '../support/node-sha256';

const REGION = 'us-east-1';
const MINUTE = 60_000;

beforeEach(() => jest.useFakeTimers({ now: new Date('2026-11-20T12:00:00Z') }));
afterEach(() => jest.useRealTimers());

async function signed(
  credentials: Credentials,
  { path = '/', query = {} }: Partial<Pick<SignedRequest, 'path' | 'query'>> = {},
): Promise<SignedRequest> {
  const signer = new SignatureV4({
    credentials,
    region: REGION,
    service: 'lambda',
    sha256: NodeSha256,
  });
  const { headers } = await signer.sign({
    method: 'POST',
    protocol: 'http:',
    hostname: 'x',
    path,
    query,
    headers: { host: 'x' },
    body: '{}',
  });
  return { method: 'POST', path, query, headers, body: Buffer.from('{}') };
}

function roles() {
  const role = (RoleName: string) => ({
    Type: 'AWS::IAM::Role',
    Properties: { RoleName, AssumeRolePolicyDocument: { Statement: [] } },
  });
  const template = { Resources: { One: role('one'), Two: role('two') } };
  const stack = resolveStack({ stackName: 'app', template, assetPath: (key) => key });
  const iam = createStackIam(stack, 'seed');
  const session = (name: string, until: number) =>
    iam.credentialsForRole(`arn:aws:iam::000000000000:role/${name}`, until);
  return { authenticator: new Authenticator(iam, REGION, 'lambda'), session };
}

function refusal(authenticator: Authenticator, request: SignedRequest): string {
  try {
    return authenticator.authenticate(request).arn;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test('a request that was accepted is refused once its session has ended', async () => {
  const { authenticator, session } = roles();
  const request = await signed(session('one', Date.now() + MINUTE));
  expect(authenticator.authenticate(request).arn).toMatch(/role\/one$/);
  jest.advanceTimersByTime(MINUTE);
  expect(refusal(authenticator, request)).toBe('ExpiredTokenException');
});

test('a request that was accepted is refused once its signature has expired', async () => {
  const { root } = allowAll();
  const authenticator = new Authenticator(allowAll(), REGION, 'lambda');
  const request = await signed(root);
  expect(authenticator.authenticate(request).root).toBe(true);
  jest.advanceTimersByTime(16 * MINUTE);
  expect(refusal(authenticator, request)).toBe('InvalidSignatureException');
});

test('a session token that was accepted is refused with the access key of another role', async () => {
  const { authenticator, session } = roles();
  const [one, two] = [session('one', Date.now() + MINUTE), session('two', Date.now() + MINUTE)];
  for (const own of [one, two]) authenticator.authenticate(await signed(own));
  const mixed = await signed({ ...two, sessionToken: one.sessionToken });
  expect(refusal(authenticator, mixed)).toBe('UnrecognizedClientException');
});

test('a session is refused with the secret of another role', async () => {
  const { authenticator, session } = roles();
  const one = session('one', Date.now() + MINUTE);
  authenticator.authenticate(await signed(one));
  const { secretAccessKey } = session('two', Date.now() + MINUTE);
  const forged = await signed({ ...one, secretAccessKey });
  expect(refusal(authenticator, forged)).toBe('InvalidSignatureException');
});

test.each([
  ['/2015-03-31/functions/arn%3Aaws%3Alambda/invocations', { Qualifier: 'live' }],
  ['/prod/@connections/abc%3D', {}],
  ['/a//b/./c/../d/', { z: '1 2', a: "it's*" }],
  ['/', { b: '', a: 'x=y&z' }],
])('the signature of %s with the query %j is verified as AWS signs it', async (path, query) => {
  const { root } = allowAll();
  const authenticator = new Authenticator(allowAll(), REGION, 'lambda');
  const request = await signed(root, { path, query });
  expect(authenticator.authenticate(request).root).toBe(true);
  const other = { ...request, query: { ...query, a: 'other' } };
  expect(refusal(authenticator, other)).toBe('InvalidSignatureException');
});
