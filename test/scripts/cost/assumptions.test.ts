/** What the bill assumes about the code and the template, compared with both. */
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { changeItem } from '../../../adapters/dynamodb/change-log';
import { connectionItem } from '../../../adapters/dynamodb/channel/connections';
import { consumerItem } from '../../../adapters/dynamodb/channel/consumers';
import { idempotencyPut } from '../../../adapters/dynamodb/idempotency-records';
import { apiKeyItem } from '../../../adapters/dynamodb/items/api-key-item';
import { type Item as DynamoItem, toItem } from '../../../adapters/dynamodb/items/attributes';
import { newStatsItem, recordItem } from '../../../adapters/dynamodb/items/bucket-item';
import { linkItem } from '../../../adapters/dynamodb/items/link-item';
import { objectFields } from '../../../adapters/dynamodb/items/object-item';
import { uploadItem } from '../../../adapters/dynamodb/items/upload-item';
import { newApiKey } from '../../../core/access/api-key';
import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import { nextAncestors } from '../../../core/log/history';
import { createDirectDownload } from '../../../lambdas/download/direct';
import { EmfMeter } from '../../../lambdas/runtime/telemetry/emf-meter';
import { log } from '../../../lambdas/runtime/telemetry/log';
import { ASSUMED, DEPLOYED } from '../../../scripts/cost/assumptions';
import { ITEM_BYTES, readUnits, writeUnits } from '../../../scripts/cost/calls';
import { createDownload } from '../../../service/download-api';
import { createApi } from '../../../service/storage-api';
import { useStorage } from '../../lib/synthesize';
import { openBucket, put } from '../../support/bucket-world';
import { reportEverything } from '../../support/everything-reported';
import { send } from '../../support/requests';
import { liveObject, newBucket, newUpload } from '../../support/samples';

const { template } = useStorage({ alarms: true });
const essential = useStorage({ alarms: true, metrics: 'essential' });
const none = useStorage({ alarms: true, metrics: false });

const alarmsIn = (of: typeof template) =>
  Object.keys(of.findResources('AWS::CloudWatch::Alarm')).length;

/** The bytes of an item as DynamoDB counts them: names, values, and overhead of maps and lists. */
function sizeOf(item: DynamoItem): number {
  return Object.entries(item).reduce(
    (total, [name, value]) => total + Buffer.byteLength(name) + valueSize(value),
    0,
  );
}

function valueSize(value: DynamoItem[string]): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 1;
  if (value.M !== undefined) return 3 + sizeOf(value.M) + Object.keys(value.M).length;
  if (value.L !== undefined) {
    return 3 + value.L.reduce((total, member) => total + 1 + valueSize(member), 0);
  }
  return 1;
}

const KEY = 'reports/2026/november/summary-of-sales.pdf';
const BUCKET_ID = 'a1B2c3D4e5F6';
const previous = liveObject({
  key: KEY,
  blob: `objects/photos.${BUCKET_ID}/${KEY}/01KDVDNA000000000000000001`,
  metadata: {},
});
const object = { ...previous, version: 2, cursor: 2, ancestors: nextAncestors(previous) };
const change = { bucket: 'photos', cursor: 2, at: object.updatedAt };
const { bucket, version, cursor, ancestors } = object;
const tombstone = {
  ...{ state: 'deleted' as const, bucket, key: KEY, version, cursor, ancestors },
  deletedAt: object.updatedAt,
};
const key = newApiKey();

test.each<[keyof typeof ITEM_BYTES, DynamoItem]>([
  ['bucket', recordItem(newBucket())],
  ['bucket', newStatsItem('photos-of-the-team', BUCKET_ID)],
  ['object', toItem({ bucket_id: BUCKET_ID, ...objectFields(object) })],
  ['creation', changeItem(BUCKET_ID, { ...change, type: 'put', object: previous })],
  ['change', changeItem(BUCKET_ID, { ...change, type: 'put', object, previous })],
  ['deletion', changeItem(BUCKET_ID, { ...change, type: 'delete', object: tombstone, previous })],
  ['upload', uploadItem({ ...newUpload(), key: KEY, blob: previous.blob })],
  [
    'apiKey',
    apiKeyItem({
      id: key.id,
      name: 'the key of a team',
      secretHash: key.secretHash,
      permissions: ALL_PERMISSIONS,
      createdAt: object.createdAt,
    }),
  ],
  [
    'link',
    linkItem({
      ...{ bucketId: BUCKET_ID, hash: 'Q3v_9f-2KdLmN0pRsT1uVw', bucket, key: KEY, uses: 12 },
      ...{ createdAt: object.createdAt, expiresAt: object.updatedAt, createdBy: key.id },
      signer: { keyId: key.id, generation: 0 },
    }),
  ],
  [
    'consumer',
    consumerItem({
      ...{ bucketId: BUCKET_ID, name: 'search-indexer', prefix: '2026/', cursor: 48_213 },
      updatedAt: object.createdAt,
    }),
  ],
  [
    'connection',
    connectionItem({ id: 'L0SM9cOFvHcCIhw=', keyId: key.id, connectedAt: Date.now() }),
  ],
])('an item %s takes about as many bytes as the bill assumes', (name, item) => {
  const bytes = sizeOf(item);
  expect(bytes).toBeLessThanOrEqual(ITEM_BYTES[name]);
  expect(bytes).toBeGreaterThan(ITEM_BYTES[name] / 3);
  // The difference must not change the request units.
  expect([readUnits(bytes), writeUnits(bytes)]).toEqual([
    readUnits(ITEM_BYTES[name]),
    writeUnits(ITEM_BYTES[name]),
  ]);
});

test('a record of a repeatable PUT takes about as many bytes as the bill assumes', async () => {
  const { deps } = await openBucket();
  const id = 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef';
  const headers = { 'idempotency-key': id, 'content-type': 'application/pdf' };
  const path = `/objects/photos/${KEY}`;
  await send(createApi({ ...deps, responseMode: 'stream' }), {
    method: 'PUT',
    path,
    body: 'content',
    headers,
    keyId: key.id,
  });
  const [record] = deps.state.idempotencyRecords.values();
  if (record === undefined) throw new Error('no record');
  const bytes = sizeOf(idempotencyPut('uploads', record, 0).Put.Item ?? {});
  expect(bytes / ITEM_BYTES.replay).toBeCloseTo(1, 0);
  expect(writeUnits(bytes)).toBe(writeUnits(ITEM_BYTES.replay));
});

test('the bill has the alarms, the memory sizes and the cache time of the template', () => {
  // When this fails, change DEPLOYED in scripts/cost/bill.ts, then run npm run cost -- --write.
  expect(DEPLOYED.alarms).toEqual({
    all: alarmsIn(template),
    essential: alarmsIn(essential.template),
    none: alarmsIn(none.template),
  });
  template.hasResourceProperties('AWS::ApiGateway::Authorizer', {
    AuthorizerResultTtlInSeconds: DEPLOYED.authorizerTtlSeconds,
  });
  const sizeOf = (name: string) => {
    const [fn] = Object.entries(template.findResources('AWS::Lambda::Function')).flatMap(
      ([id, { Properties }]) =>
        id.startsWith(`StorageFunctions${name}Function`) ? Properties : [],
    );
    return fn.MemorySize / 1024;
  };
  const { requestGb, downloadGb, backgroundGb } = DEPLOYED;
  const requests = ['Api', 'Authorizer', 'Channel'].map(sizeOf);
  expect([...requests, sizeOf('Download')]).toEqual([requestGb, requestGb, requestGb, downloadGb]);
  expect(['Ingest', 'Fanout', 'Janitor'].map(sizeOf)).toEqual(Array(3).fill(backgroundGb));
});

test('log lines with metrics take about as many bytes as the bill assumes', async () => {
  const lines = await reportEverything('Stowage/stowage-production/Storage');
  const least = (name: string) =>
    Math.min(...lines.filter((line) => line.includes(name)).map((line) => line.length));
  // Request ids of API Gateway and key ids are longer than those in tests.
  const ids = 36 + 12 - 'request-1key-1'.length;
  expect(ASSUMED.metricsLine / (least('"putObject"') + ids)).toBeCloseTo(1, 1);
});

test.each([
  ['essential', ASSUMED.logBytesPerDownload, 0],
  ['all', ASSUMED.logBytesPerMeasuredDownload, ASSUMED.metricsLine],
] as const)(
  'the line of a direct download takes about as many bytes as the bill assumes with the metrics %s',
  async (level, bytes, ofMetrics) => {
    const lines: string[] = [];
    const written = jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
      lines.push(String(line));
      return true;
    });
    const { deps } = await openBucket();
    await put(deps, KEY, 'content');
    deps.state.apiKeys.set(key.id, {
      ...{ id: key.id, name: 'k', secretHash: key.secretHash, permissions: ALL_PERMISSIONS },
      createdAt: deps.clock.iso(),
    });
    const meter = new EmfMeter({ namespace: 'Stowage/stowage-production/Storage', level });
    const app = createDownload({ ...deps, responseMode: 'stream' });
    await createDirectDownload(
      { ...deps, log, meter },
      app,
    )({
      version: '2.0',
      rawQueryString: '',
      headers: {
        'x-object-path': `/api/v2/storage/objects/photos/${KEY}`,
        'x-object-authorization': `Bearer ${key.text}`,
      },
      requestContext: {
        http: { method: 'HEAD', sourceIp: '130.176.112.145' },
        requestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
      },
    } as unknown as LambdaFunctionURLEvent);
    written.mockRestore();
    expect(lines.map((line) => JSON.parse(line).status)).toEqual([200]);
    expect(((lines[0]?.length ?? 0) + 26 - ofMetrics) / bytes).toBeCloseTo(1, 1);
  },
);

test('lines of the access logs take about as many bytes as the bill assumes', () => {
  const values: Readonly<Record<string, string>> = {
    '$context.httpMethod': 'GET',
    '$context.path': `/api/v2/storage/objects/photos/${KEY}`,
    '$context.requestTime': '22/Nov/2026:19:00:46 +0000',
    '$context.requestId': 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
    '$context.extendedRequestId': 'JKJaXmPLvHcESHA=',
    '$context.authorizer.principalId': key.id,
    '$context.identity.sourceIp': '130.176.112.145',
    '$context.status': '200',
    '$context.responseLength': '102400',
    '$context.responseLatency': '145',
    '$context.integrationLatency': '140',
    '$context.connectionId': 'JKJaXeRtPHcCJHQ=',
    '$context.messageId': 'JKJaXmPLvHcESHA=',
    '$context.eventType': 'MESSAGE',
    '$context.routeKey': '$default',
  };
  const lineOf = (type: string, settings: string) => {
    const [stage] = Object.values(template.findResources(type));
    const format: string = stage?.Properties[settings].Format;
    const line = format.replace(/\$context\.[\w.]+/g, (name) => values[name] ?? '-');
    return line.length + 26;
  };
  const { logBytesPerRequest, logBytesPerMessage } = ASSUMED;
  expect(lineOf('AWS::ApiGateway::Stage', 'AccessLogSetting') / logBytesPerRequest).toBeCloseTo(
    1,
    1,
  );
  expect(lineOf('AWS::ApiGatewayV2::Stage', 'AccessLogSettings') / logBytesPerMessage).toBeCloseTo(
    1,
    1,
  );
});
