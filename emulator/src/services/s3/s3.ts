/**
 * A local S3 for the operations that the stack uses, as strict as the real one where it is used
 * (README.md: emulated, gaps, by design). What it cannot do it answers with 501 NotImplemented and
 * the operation's name; it never pretends.
 *
 * Where to look: handle.ts is the way of a request; store.ts how content survives a crash;
 * signature.ts who is calling; payload.ts how bodies are verified.
 */
import * as fs from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Iam } from '../../iam/iam';
import type { Listening } from '../service';
import type { BucketOptions } from './bucket-options';
import { type Emit, EventDelivery } from './events/event-emitter';
import type { Bucket } from './request/call';
import { type Handling, handle } from './request/handle';
import { createAuthenticator } from './signature/authenticate';
import { startAborting } from './storage/lifecycle';
import { BucketStore } from './storage/store';

export type { AbortRule, BucketOptions, CorsRule } from './bucket-options';
export type { S3ObjectEvent } from './events/object-event';
export { bucketsOfStack } from './template';

export interface S3Options {
  /**
   * Further buckets in the data folder, made by CreateBucket in an earlier run, are served as well.
   */
  readonly buckets: readonly BucketOptions[];
  /** Is created. One server at a time. */
  readonly dataDir: string;
  readonly iam: Iam;
  readonly region: string;
  /** 0: any free one. */
  readonly port: number;
  /**
   * Told of each change after it is on record: at least once, also across restarts. An event is
   * done with when the promise resolves; when it rejects the event comes again, after 1 s, 2 s … 60
   * s.
   */
  readonly emit: Emit;
  /**
   * Told of errors that are not the client's fault.
   *
   * @default - they are written to stderr
   */
  readonly report?: (error: unknown) => void;
}

/** Milliseconds without a byte in either direction, after which a connection is closed. */
const IDLE = 60_000;
/** Milliseconds that requests in flight have to end when the server stops. */
const GRACE = 2000;

/** Rejects when the port is taken or what is in the data folder is damaged. */
export async function startS3(options: S3Options): Promise<Listening> {
  const report = options.report ?? ((error) => console.error('s3:', error));
  const delivery = new EventDelivery(options.emit, report);
  const buckets = new Map<string, Bucket>();
  const open = (bucket: BucketOptions): void => {
    const folder = join(options.dataDir, bucket.name);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const store = new BucketStore(bucket.name, folder, (...event) => delivery.deliver(...event));
    buckets.set(bucket.name, { options: bucket, store });
  };
  for (const bucket of options.buckets) open(bucket);
  fs.mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  for (const entry of fs.readdirSync(options.dataDir, { withFileTypes: true })) {
    if (entry.isDirectory() && !buckets.has(entry.name)) open({ name: entry.name });
  }

  const handling: Handling = {
    service: {
      iam: options.iam,
      region: options.region,
      buckets,
      createBucket: (name) => open({ name }),
    },
    authenticate: createAuthenticator(options.iam, options.region),
    report,
  };
  const server = http.createServer((request, response) => void handle(handling, request, response));
  // Operations answer 100 (Continue) themselves, when nothing speaks against the request.
  server.on('checkContinue', (request, response) => void handle(handling, request, response));
  // A large body may take longer than any fixed time; it must only keep moving.
  server.requestTimeout = 0;
  server.timeout = IDLE;
  server.keepAliveTimeout = IDLE;
  const closeStores = (): void => {
    for (const { store } of buckets.values()) store.close();
  };
  try {
    await listen(server, options.port);
  } catch (error) {
    closeStores();
    throw error;
  }
  for (const { store } of buckets.values()) {
    for (const [number, event] of store.pending) delivery.deliver(store, number, event);
  }
  const aborting = startAborting(buckets, report);

  const { port } = server.address() as AddressInfo;
  let stopping: Promise<void> | undefined;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () => {
      stopping ??= close(server).then(() => {
        aborting.stop();
        delivery.stop();
        closeStores();
      });
      return stopping;
    },
  };
}

function listen(server: http.Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function close(server: http.Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), GRACE);
  await closed;
  clearTimeout(force);
}
