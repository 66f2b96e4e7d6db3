import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import {
  endpointOverride,
  environmentCredentials,
  environmentRegion,
  parseEndpoint,
  regionalHost,
} from '../../../adapters/aws/environment';

const original = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, original);
});

/** At least one region of each partition. */
const REGIONS = [
  'us-east-1',
  'eu-central-1',
  'il-central-1',
  'cn-north-1',
  'us-gov-west-1',
  'us-iso-east-1',
  'us-isob-east-1',
  'eu-isoe-west-1',
  'us-isof-south-1',
  'eusc-de-east-1',
];

test.each(REGIONS)("the hosts in %s are the SDK's", (Region) => {
  // The SDK refuses FIPS for S3 in China.
  for (const UseFIPS of Region.startsWith('cn-') ? [false] : [false, true]) {
    const settings = { Region, UseFIPS, UseDualStack: false };
    const [dynamo, s3] = [new DynamoDBClient({}).config, new S3Client({}).config];
    process.env.AWS_USE_FIPS_ENDPOINT = String(UseFIPS);

    expect(regionalHost('dynamodb', Region)).toBe(dynamo.endpointProvider(settings).url.hostname);
    expect(regionalHost('s3', Region)).toBe(s3.endpointProvider(settings).url.hostname);
  }
});

test('the endpoint of a service is that of its variable, before the one of all services', () => {
  delete process.env.AWS_ENDPOINT_URL_S3;
  delete process.env.AWS_ENDPOINT_URL;
  expect(endpointOverride('s3')).toBeUndefined();
  process.env.AWS_ENDPOINT_URL = 'https://all.example';
  expect(endpointOverride('s3')).toEqual({ protocol: 'https:', hostname: 'all.example' });
  process.env.AWS_ENDPOINT_URL_S3 = 'http://127.0.0.1:4566/';
  expect(endpointOverride('s3')).toEqual({ protocol: 'http:', hostname: '127.0.0.1', port: 4566 });
});

test.each([
  ['http://a', { protocol: 'http:', hostname: 'a' }],
  ['https://a/', { protocol: 'https:', hostname: 'a' }],
  ['https://a:444', { protocol: 'https:', hostname: 'a', port: 444 }],
  ['http://[::1]:80', { protocol: 'http:', hostname: '[::1]' }],
])('%s is an endpoint', (url, endpoint) => {
  expect(parseEndpoint(url)).toStrictEqual(endpoint);
});

test('an empty variable is none', () => {
  Object.assign(process.env, { AWS_ENDPOINT_URL_S3: '', AWS_ENDPOINT_URL: '' });
  expect(endpointOverride('s3')).toBeUndefined();
  process.env.AWS_ENDPOINT_URL = 'https://all.example';
  expect(endpointOverride('s3')).toMatchObject({ hostname: 'all.example' });
  Object.assign(process.env, { AWS_REGION: '' });
  expect(environmentRegion).toThrow('AWS_REGION');
});

test.each(['ftp://a', 'http://a/path', 'http://a/?b', '127.0.0.1:80'])(
  '%s is refused as an endpoint',
  (url) => {
    expect(() => parseEndpoint(url)).toThrow(/an endpoint is|Invalid URL/);
  },
);

test('the credentials are those of the environment at that moment', () => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' });
  delete process.env.AWS_SESSION_TOKEN;
  expect(environmentCredentials()).toEqual({ accessKeyId: 'a', secretAccessKey: 'b' });
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'c', AWS_SESSION_TOKEN: 'd' });
  expect(environmentCredentials()).toEqual({
    accessKeyId: 'c',
    secretAccessKey: 'b',
    sessionToken: 'd',
  });
});

test.each<[string, () => unknown]>([
  ['AWS_REGION', environmentRegion],
  ['AWS_SECRET_ACCESS_KEY', environmentCredentials],
])('a missing %s is named', (name, read) => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' });
  delete process.env[name];
  expect(read).toThrow(`environment variable ${name} is not set`);
});
