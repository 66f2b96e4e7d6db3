import { SignatureV4 } from '@smithy/signature-v4';
import { allowAll } from '../../src/iam/allow-all';
import { failure } from '../support/failure';
import { NodeSha256 } from '../support/node-sha256';
import { REGION, useClient, useService } from './service';

const { root } = allowAll();

/** Sends a request that the signer of AWS signs. `tamper` changes the signed request. */
async function post(
  endpoint: string,
  options: {
    readonly signingDate?: Date;
    readonly service?: string;
    readonly region?: string;
    readonly tamper?: (headers: Record<string, string>) => Record<string, string>;
    readonly body?: string;
  } = {},
): Promise<{ status: number; type: string | null; code: string; body: string }> {
  const { host, hostname, port } = new URL(endpoint);
  const { service = 'dynamodb', region = REGION } = options;
  const signer = new SignatureV4({ credentials: root, region, service, sha256: NodeSha256 });
  const signed = await signer.sign(
    {
      method: 'POST',
      protocol: 'http:',
      hostname,
      port: Number(port),
      path: '/',
      query: {},
      headers: {
        host,
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'DynamoDB_20120810.ListTables',
        'x-amz-meta': ' a   b ',
      },
      body: '{}',
    },
    { signingDate: options.signingDate },
  );
  const headers = options.tamper?.(signed.headers) ?? signed.headers;
  const response = await fetch(endpoint, { method: 'POST', headers, body: options.body ?? '{}' });
  const body = await response.text();
  const [, code = ''] = String(JSON.parse(body).__type).split('#');
  return { status: response.status, type: response.headers.get('x-amzn-errortype'), code, body };
}

test("accepts a request that AWS's signer has signed", async () => {
  const { endpoint } = await useService();
  const response = await post(endpoint);
  expect(response).toMatchObject({ status: 200, body: '{"TableNames":["Log","Notes"]}' });
});

const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000);

test.each<[string, Parameters<typeof post>[1]]>([
  ['another body', { body: '{"Limit":1}' }],
  ['another target', { tamper: (h) => ({ ...h, 'x-amz-target': 'DynamoDB_20120810.Scan' }) }],
  ['a header that is not signed', { tamper: (h) => ({ ...h, 'x-amz-extra': '1' }) }],
  ['an old signature', { signingDate: minutesFromNow(-16) }],
  ['a signature of the future', { signingDate: minutesFromNow(16) }],
  ['another service', { service: 's3' }],
  ['another region', { region: 'eu-west-1' }],
])('refuses %s as an invalid signature', async (_, options) => {
  const { endpoint } = await useService();
  const code = 'InvalidSignatureException';
  expect(await post(endpoint, options)).toMatchObject({ status: 400, code, type: code });
});

test.each<[string, Parameters<typeof post>[1], string]>([
  [
    'no signature',
    { tamper: ({ authorization, ...rest }) => rest },
    'MissingAuthenticationTokenException',
  ],
  [
    'another scheme',
    { tamper: (h) => ({ ...h, authorization: 'Bearer x' }) },
    'IncompleteSignatureException',
  ],
  [
    'an unknown session token',
    { tamper: (h) => ({ ...h, 'x-amz-security-token': 'x' }) },
    'UnrecognizedClientException',
  ],
])('refuses %s', async (_, options, code) => {
  const { endpoint } = await useService();
  expect(await post(endpoint, options)).toMatchObject({ status: 400, code, type: code });
});

test('refuses an unknown access key and a wrong secret with errors that the SDK recognises', async () => {
  const { endpoint } = await useService();
  const list = (credentials: { accessKeyId: string; secretAccessKey: string }) =>
    failure(useClient(endpoint, { credentials }).listTables({}));

  const unknown = await list({ ...root, accessKeyId: 'AKIAUNKNOWN' });
  const wrong = await list({ ...root, secretAccessKey: 'wrong' });

  expect(unknown.name).toBe('UnrecognizedClientException');
  expect(wrong.name).toBe('InvalidSignatureException');
});

test('returns an error of DynamoDB for other requests', async () => {
  const { endpoint } = await useService();
  const get = await fetch(`${endpoint}/x?y`);
  expect(get.status).toBe(404);
  expect(await get.json()).toMatchObject({
    __type: 'com.amazon.coral.service#UnknownOperationException',
  });
});
