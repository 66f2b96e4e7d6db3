import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { ERRORS } from '../../../core/errors';
import { useStorage } from '../synthesize';

interface GatewayResponse {
  readonly ResponseType: string;
  readonly StatusCode?: string;
  readonly ResponseTemplates: Readonly<Record<string, string>>;
  readonly ResponseParameters?: Readonly<Record<string, string>>;
}

const { template } = useStorage();
const found = template.findResources('AWS::ApiGateway::GatewayResponse');
const responses: readonly GatewayResponse[] = Object.values(found).map((item) => item.Properties);

/** Every response type that this version of the CDK knows. */
const TYPES = Object.values(ResponseType)
  .filter((value): value is ResponseType => value instanceof ResponseType)
  .map((type) => type.responseType);

function responseOf(type: string): GatewayResponse {
  const response = responses.find((candidate) => candidate.ResponseType === type);
  if (response === undefined) throw new Error(`no gateway response of type ${type}`);
  return response;
}

function errorOf(type: string): { code: string; message: string; request_id: string } {
  const template = responseOf(type).ResponseTemplates['application/json'];
  return JSON.parse(template ?? '').error;
}

const isDefault = (type: string) => type.startsWith('DEFAULT_');

test('every type that can be customised has one response', () => {
  expect(TYPES.length).toBeGreaterThanOrEqual(21);
  expect(responses.map((response) => response.ResponseType).sort()).toEqual([...TYPES].sort());
});

test.each(TYPES)('%s has a body in the format of the interface', (type) => {
  const { ResponseTemplates, ResponseParameters } = responseOf(type);
  expect(Object.keys(ResponseTemplates)).toEqual(['application/json']);
  const body = JSON.parse(ResponseTemplates['application/json'] ?? '');
  expect(body).toEqual({
    error: {
      code: expect.any(String),
      message: expect.stringMatching(/^[a-z].{20,}[^.]$/),
      request_id: '$context.requestId',
    },
  });
  for (const value of Object.values(ResponseParameters ?? {})) expect(value).toMatch(/^'[^']+'$/);
});

test.each(TYPES.filter((type) => !isDefault(type)))(
  '%s has the status of its code in ERRORS',
  (type) => {
    const catalogue: Readonly<Record<string, { readonly status: number }>> = ERRORS;
    expect(catalogue[errorOf(type).code]?.status).toBe(Number(responseOf(type).StatusCode));
  },
);

test.each(TYPES.filter(isDefault))(
  '%s sets no status, which would replace the status of every type that is not listed',
  (type) => {
    expect(responseOf(type).StatusCode).toBeUndefined();
    expect(Object.keys(ERRORS)).toContain(errorOf(type).code);
  },
);

test.each([
  ['UNAUTHORIZED', '401', 'unauthorized'],
  ['ACCESS_DENIED', '403', 'forbidden'],
  ['MISSING_AUTHENTICATION_TOKEN', '404', 'not_found'],
  ['REQUEST_TOO_LARGE', '413', 'payload_too_large'],
  ['THROTTLED', '429', 'rate_limited'],
  ['QUOTA_EXCEEDED', '429', 'rate_limited'],
  ['API_CONFIGURATION_ERROR', '500', 'internal'],
  ['INTEGRATION_TIMEOUT', '503', 'unavailable'],
])('%s has the status %s and the code %s', (type, status, code) => {
  expect(responseOf(type).StatusCode).toBe(status);
  expect(errorOf(type).code).toBe(code);
});

test('every 401 names the scheme in WWW-Authenticate', () => {
  const unauthorized = responses.filter((response) => response.StatusCode === '401');
  expect(unauthorized.length).toBeGreaterThan(0);
  for (const { ResponseParameters } of unauthorized) {
    expect(ResponseParameters).toMatchObject({
      'gatewayresponse.header.WWW-Authenticate': "'Bearer'",
    });
  }
});

test('no browser guesses the type of a response, with or without an edge', () => {
  for (const { ResponseParameters } of responses) {
    expect(ResponseParameters).toMatchObject({
      'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
    });
  }
});

test('every 429 and 503, and the default for 5xx, has a Retry-After', () => {
  const retryable = responses.filter(
    ({ StatusCode, ResponseType: type }) =>
      StatusCode === '429' || StatusCode === '503' || type === 'DEFAULT_5XX',
  );
  expect(retryable.length).toBeGreaterThanOrEqual(6);
  for (const { ResponseParameters } of retryable) {
    expect(ResponseParameters).toMatchObject({ 'gatewayresponse.header.Retry-After': "'1'" });
  }
});

test('the error for a body that is too large names POST /api/v2/storage/signed-url', () => {
  expect(errorOf('REQUEST_TOO_LARGE').message).toContain('POST /api/v2/storage/signed-url');
});

test('the deployment depends on every response', () => {
  const [deployment] = Object.values(template.findResources('AWS::ApiGateway::Deployment'));
  expect(deployment?.DependsOn).toEqual(expect.arrayContaining(Object.keys(found)));
});
