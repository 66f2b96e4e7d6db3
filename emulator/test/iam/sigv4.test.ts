import { getSigningKey } from '@smithy/signature-v4';
import { SigningKeys } from '../../src/iam/sigv4';
import { NodeSha256 } from '../support/node-sha256';

const REGION = 'eu-west-1';
const SERVICE = 'dynamodb';

function byAws(secretAccessKey: string, day: string): Promise<Uint8Array> {
  const credentials = { accessKeyId: 'AKIA', secretAccessKey };
  return getSigningKey(NodeSha256, credentials, day, REGION, SERVICE);
}

test('a signing key is that of its secret and day, whichever keys were derived before', async () => {
  const keys = new SigningKeys(REGION, SERVICE);
  for (const secret of ['one', 'two', 'one']) {
    for (const day of ['20261120', '20261121', '20261120']) {
      const expected = Buffer.from(await byAws(secret, day));
      expect(keys.key(secret, day)).toEqual(expected);
    }
  }
});

test('signing keys differ between regions and services', () => {
  const key = (region: string, service: string) =>
    new SigningKeys(region, service).key('secret', '20261120').toString('hex');
  const keys = [key(REGION, SERVICE), key('us-east-1', SERVICE), key(REGION, 's3')];
  expect(new Set(keys).size).toBe(3);
});

test('a signing key that was discarded is derived again', () => {
  const keys = new SigningKeys(REGION, SERVICE);
  const first = keys.key('secret 0', '20261120').toString('hex');
  for (let i = 1; i < 1000; i++) keys.key(`secret ${i}`, '20261120');
  expect(keys.key('secret 0', '20261120').toString('hex')).toBe(first);
});
