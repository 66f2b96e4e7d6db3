/**
 * S3 as far as a stack uses it, as strict as S3 itself (README.md lists the gaps). A request that
 * it does not emulate gets 501 NotImplemented with the name of the operation.
 *
 * handle.ts handles a request from its parsing to its response, event-notifier.ts emits the events
 * of changes. `protocol/` has requests, errors and XML, `signature/` authenticates the caller,
 * `payload/` verifies bodies, `calls/` authorizes calls and has their types, `operations/` has the
 * operations, `storage/` the content of the buckets and how it survives a crash.
 */
import * as fs from 'node:fs';
import * as http from 'node:http';
import { join } from 'node:path';
import type { Iam } from '../../iam/iam';
import { close, listen } from '../server';
import type { Listening } from '../service';
import type { BucketOptions } from './calls/bucket-options';
import type { Bucket } from './calls/call';
import { type Emit, EventNotifier } from './event-notifier';
import { type Handling, handle } from './handle';
import { startAborting } from './lifecycle';
import { createAuthenticator } from './signature/authenticate';
import { BucketStore } from './storage/store';

export type { AbortRule, BucketOptions, CorsRule } from './calls/bucket-options';
export type { S3ObjectEvent } from './storage/object-event';
export { bucketsOfStack } from './template';

export interface S3Options {
  /**
   * Buckets that an earlier run created in the data folder with CreateBucket are served as well.
   */
  readonly buckets: readonly BucketOptions[];
  /** Created if missing. Used by one server at a time. */
  readonly dataDir: string;
  readonly iam: Iam;
  readonly region: string;
  /** 0: any free one. */
  readonly port: number;
  /**
   * Called for each change after it is in the journal: at least once, also across restarts. When
   * the promise rejects it is called again, after 1 s, 2 s … 60 s.
   */
  readonly emit: Emit;
  /**
   * Called with errors that are not the client's fault.
   *
   * @default - they are written to stderr
   */
  readonly report?: (error: unknown) => void;
}

/** Milliseconds after which a connection without traffic is closed. */
const IDLE = 60_000;
/** Milliseconds that running requests have to finish when the server stops. */
const GRACE = 2000;

/** Rejects when the port is in use or the content of the data folder is damaged. */
export async function startS3(options: S3Options): Promise<Listening> {
  const report = options.report ?? ((error) => console.error('s3:', error));
  const notifier = new EventNotifier(options.emit, report);
  const buckets = new Map<string, Bucket>();
  const open = (bucket: BucketOptions): void => {
    const folder = join(options.dataDir, bucket.name);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const store = new BucketStore(bucket.name, folder, (...event) => notifier.notify(...event));
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
  const server = createServer(handling);
  const closeStores = (): void => {
    for (const { store } of buckets.values()) store.close();
  };
  let endpoint: string;
  try {
    endpoint = await listen(server, options.port, 'S3');
  } catch (error) {
    closeStores();
    throw error;
  }
  for (const { store } of buckets.values()) {
    for (const [number, event] of store.pending) notifier.notify(store, number, event);
  }
  const aborting = startAborting(buckets, report);

  let stopping: Promise<void> | undefined;
  return {
    endpoint,
    stop: () => {
      stopping ??= close(server, GRACE).then(() => {
        aborting.stop();
        notifier.stop();
        closeStores();
      });
      return stopping;
    },
  };
}

function createServer(handling: Handling): http.Server {
  const server = http.createServer((request, response) => void handle(handling, request, response));
  // Operations send 100 (Continue) themselves, once the rest of the request is checked.
  server.on('checkContinue', (request, response) => void handle(handling, request, response));
  // A large body may take longer than any fixed time, as long as there is traffic.
  server.requestTimeout = 0;
  server.timeout = IDLE;
  server.keepAliveTimeout = IDLE;
  return server;
}
