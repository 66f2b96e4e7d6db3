/**
 * Each function's own code over the fakes, brought to report everything that it can: what
 * CloudWatch is sent, line by line.
 */
import { Readable } from 'node:stream';
import type { APIGatewayProxyEvent, Context, SQSRecord } from 'aws-lambda';
import { S3PartCopies } from '../../adapters/s3/part-copies';
import { MAX_LOOKS } from '../../core/channel/publisher';
import { ServiceError } from '../../core/errors';
import { DEFAULT_RATES } from '../../core/limits';
import { linkName, newLink } from '../../core/links/link-secret';
import { PUSH_LEASE_MS } from '../../core/log/push-lease';
import { createFanout } from '../../lambdas/fanout/app';
import { createJanitor } from '../../lambdas/janitor/app';
import { createS3Client } from '../../lambdas/runtime/aws-clients';
import { createHandler } from '../../lambdas/runtime/http-handler';
import { withMetrics } from '../../lambdas/runtime/request-metrics';
import { EmfMeter, reporting } from '../../lambdas/runtime/telemetry/emf-meter';
import type { MetricsLevel } from '../../lambdas/runtime/telemetry/metrics';
import { createAdmin } from '../../service/administration/app';
import { createDownload } from '../../service/download-api';
import { createLinks } from '../../service/links/links';
import { createApi } from '../../service/storage-api';
import { BUCKET, DAY, put, storeBlob } from './bucket-world';
import { openChannelWorld } from './channel-world';
import { restEvent, send, type TestRequest } from './requests';

const CONTEXT = { getRemainingTimeInMillis: () => 900_000 } as Context;

const PAST = '2020-01-01T00:00:00.000Z';

/** A request of each route. The tier allows one signed URL. */
const REQUESTS: readonly TestRequest[] = [
  { path: '/buckets' },
  { path: '/buckets/photos' },
  { method: 'POST', path: '/buckets', body: '{"name":"other"}' },
  { method: 'PATCH', path: '/buckets/other', body: '{"lifecycle":[]}' },
  { method: 'DELETE', path: '/buckets/other' },
  { path: '/objects/photos', query: { prefix: 'private/' } },
  { path: '/objects/photos/private/key' },
  { method: 'HEAD', path: '/objects/photos/private/key' },
  { method: 'PUT', path: '/objects/photos/private/key', body: 'x' },
  { method: 'DELETE', path: '/objects/photos/private/key' },
  { method: 'POST', path: '/signed-url', body: '{}' },
  { method: 'POST', path: '/signed-url', body: '{}' },
  { path: '/sync', query: { bucket: 'photos', cursor: '0' } },
  { path: '/sync', query: { bucket: 'photos', cursor: '0', wait: '1' } },
  { method: 'DELETE', path: '/objects/photos', query: { prefix: 'private/' } },
  { method: 'POST', path: '/commits', body: '{}' },
  { method: 'POST', path: '/restore', body: '{}' },
  { path: '/uploads/private' },
  { method: 'POST', path: '/links', body: '{}' },
  { path: '/links', query: { bucket: 'photos' } },
  { method: 'DELETE', path: '/links/private' },
  { method: 'POST', path: '/tokens', body: '{}' },
  { method: 'PUT', path: '/buckets/photos/consumers/private', body: '{"cursor":0}' },
  { path: '/buckets/photos/consumers/private' },
  { path: '/buckets/photos/consumers' },
  { method: 'DELETE', path: '/buckets/photos/consumers/private' },
  { path: '/no/such/private/path' },
];

export async function reportEverything(
  namespace: string,
  level: MetricsLevel = 'all',
): Promise<string[]> {
  const lines: string[] = [];
  const meter = new EmfMeter({ namespace, level, write: (line) => lines.push(line) });
  const world = await openChannelWorld();
  const rateTiers = { default: { ...DEFAULT_RATES, sign: { rate: 0.01, burst: 1 } } };
  const deps = { ...world.deps, meter, rateTiers, syncUrl: '', responseMode: 'buffered' as const };

  const api = withMetrics(meter, createApi(deps));
  for (const request of REQUESTS) await send(api, request);
  await send(withMetrics(meter, createDownload(deps)), { path: '/objects/photos/private/key' });
  for (const request of REQUESTS) await send(api, { ...request, expiresAt: PAST });
  const lease = () => Promise.reject(new Error('lost'));
  const broken = withMetrics(meter, createApi({ ...deps, rates: { lease } }));
  for (const request of REQUESTS) await send(broken, request);
  for (const failure of [new ServiceError('unauthorized'), new Error('lost')]) {
    const verify = () => Promise.reject(failure);
    const admin = createAdmin({ ...deps, tiers: rateTiers, config: {}, verify });
    await send(withMetrics(meter, admin, { route: () => 'administration' }), { path: '/' });
  }

  await openALink();
  await loseABody();
  await loseARace();
  await loseAFollower();
  await abandonATask();
  const partCopies = new S3PartCopies(createS3Client({ region: 'us-east-1' }), 'none');
  const janitor = reporting(
    meter,
    createJanitor({ ...deps, partCopies, retentionSeconds: 7 * 86_400 }),
  );
  // An unpublished change after a gap.
  await deps.commits.allocate({ name: BUCKET, id: world.bucket.id });
  await put(world.deps, 'late', 'x');
  const behind = { bucketId: world.bucket.id, name: 'private', prefix: '', cursor: 0 };
  await deps.consumers.put({ ...behind, updatedAt: deps.clock.iso() }, undefined);
  deps.clock.advance(45_000);
  await janitor({ task: 'logs' }, CONTEXT);
  await storeBlob(
    world.deps,
    `objects/${BUCKET}.${world.bucket.id}/lost/${deps.ids.ulid()}`,
    'orphan',
  );
  deps.clock.advance(2 * DAY);
  await janitor({ task: 'reconcile' }, CONTEXT);
  return lines;

  /** A link that nobody made, and the same one while the table cannot be read. */
  async function openALink() {
    const lost = { ...deps.links, get: () => Promise.reject(new Error('lost')) };
    const { secret, ...id } = newLink(world.bucket.id);
    const path = `/s/${linkName(id)}`;
    for (const links of [deps.links, lost]) {
      const app = createLinks({ ...deps, links, contentOrigin: 'https://content.example' });
      const open = withMetrics(meter, app, { route: () => 'openLink' });
      await send((incoming) => open({ ...incoming, path }), { path, query: { secret } });
    }
  }

  async function loseABody() {
    const body = new Readable({ read: () => body.destroy(new Error('lost')) });
    const app = async () => ({ status: 200, headers: {}, body });
    const handler = createHandler(app, 'buffered', { ...deps, meter }) as (
      event: APIGatewayProxyEvent,
    ) => Promise<unknown>;
    await handler(restEvent({ path: '/objects/photos/private/key' }));
  }

  async function loseARace() {
    const { commits } = deps;
    const allocate: typeof commits.allocate = (bucket) => commits.allocate(bucket);
    let lost = false;
    const commit: typeof commits.commit = async (change) => {
      if (lost) return commits.commit(change);
      lost = true;
      return { result: 'refused', changed: true, settled: false, isDuplicate: false };
    };
    const busy = withMetrics(meter, createApi({ ...deps, commits: { allocate, commit } }));
    await send(busy, { method: 'PUT', path: '/objects/photos/private/hot', body: 'x' });
  }

  /** Another instance pushes for longer than a deferred task looks. */
  async function abandonATask() {
    const bucket = { name: BUCKET, id: world.bucket.id };
    await put(world.deps, 'behind', 'x');
    const { cursor: upTo = 0 } = (await deps.buckets.get(BUCKET)) ?? {};
    const { published = 0 } = (await deps.buckets.stats(BUCKET)) ?? {};
    const now = deps.clock.now();
    const lease = { holder: 'slow', until: now + PUSH_LEASE_MS, now, published };
    await deps.buckets.acquirePushLease(bucket, lease);
    const advance = { bucket: BUCKET, id: bucket.id, upTo, looks: MAX_LOOKS };
    const record = { messageId: 'm', body: JSON.stringify({ advance }) } as SQSRecord;
    await reporting(meter, createFanout(deps))({ Records: [record] });
    deps.clock.advance(PUSH_LEASE_MS);
  }

  async function loseAFollower() {
    const channel = await world.open();
    await channel.say({ action: 'subscribe', bucket: BUCKET, cursor: 0 });
    deps.gateway.setBusy('c1', true);
    await put(world.deps, 'pushed', 'x');
    await reporting(
      meter,
      createFanout(deps),
    )({
      Records: [
        {
          eventName: 'INSERT',
          dynamodb: { SequenceNumber: '1', NewImage: { bucket: { S: BUCKET } } },
        },
      ],
    });
  }
}
