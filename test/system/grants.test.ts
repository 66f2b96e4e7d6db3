/**
 * A function that lacks a grant fails at once. test/grants proves it for every grant by evaluating
 * the recorded calls; this test shows it for some on the running service.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { WebSocket } from 'ws';
import type { AccessReport } from '../../emulator/src/iam/access-report';
import {
  newDataFolder,
  type Running,
  startLocalService,
} from '../support/local-service/start-local-service';
import { cdkOutWithout } from './support/cdk-out-without';
import { Client } from './support/client';

const data = newDataFolder();
afterAll(() => data.remove());

const TAKEN = [
  ['Download', 's3:GetObject', '/objects/*'],
  ['Api', 'dynamodb:Query', 'StorageTablesObjects'],
  ['Channel', 'sqs:SendMessage', 'StorageQueuesFollowUps'],
] as const;

test('a function without a grant fails where it needs it, and the report names the grant', async () => {
  const report = path.join(data.folder, 'iam.json');
  const flags = [
    '--cdk-out',
    cdkOutWithout(path.join(data.folder, 'taken'), TAKEN),
    '--iam-report',
    report,
  ];
  const service = await startLocalService(path.join(data.folder, 'data'), flags);
  const client = new Client(service);
  const status = async (method: string, at: string, body?: string) =>
    (await client.send(method, at, body)).status;

  expect(await status('POST', '/buckets', '{"name":"photos"}')).toBe(201);
  expect(await status('PUT', '/objects/photos/x', 'x')).toBe(201);
  expect(await status('HEAD', '/objects/photos/x')).toBe(200);
  expect(await status('GET', '/objects/photos/x')).toBe(500);
  expect(await status('GET', '/objects/photos')).toBe(500);
  expect(await handshake(service)).toBe(101);
  expect(await handshake(service, '?bucket=photos')).toBe(500);

  await client.close();
  expect(await service.interrupt()).toBe(0);
  const { roles }: AccessReport = JSON.parse(readFileSync(report, 'utf8'));
  const refused = Object.values(roles).flatMap((role) => role.refused);
  expect(refused).toHaveLength(TAKEN.length);
  for (const [, action] of TAKEN) {
    expect(refused).toContainEqual(expect.stringContaining(`${action} arn:`));
  }
});

test('the emulator refuses at start a role that cannot read its stream, as Lambda does', async () => {
  const cdkOut = cdkOutWithout(path.join(data.folder, 'stream'), [
    ['Fanout', 'dynamodb:GetRecords', 'StreamArn'],
  ]);
  const started = startLocalService(path.join(data.folder, 'other'), ['--cdk-out', cdkOut]);
  await expect(started).rejects.toThrow(/not authorized to perform: dynamodb:GetRecords/);
});

function handshake({ baseUrl, apiKey }: Running, query = ''): Promise<number | undefined> {
  const address = `${baseUrl.replace('http', 'ws')}/api/v2/storage/sync${query}`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${apiKey}` } });
  return new Promise((resolve, reject) => {
    socket.on('upgrade', ({ statusCode }) => resolve(statusCode));
    socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode));
    socket.on('error', reject);
    socket.on('open', () => socket.close());
  });
}
