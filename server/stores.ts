/** The stores of the service in one process: a folder, or memory. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { FileBlobs, FilePartCopies } from '../adapters/files/blobs';
import { ContentFolder } from '../adapters/files/content-folder';
import {
  answerContent,
  type ContentRequest,
  type ContentResponse,
} from '../adapters/files/content-requests';
import { ContentSigner } from '../adapters/files/signer';
import { MemorySlots } from '../adapters/memory/slots';
import { MemorySubscriptions } from '../adapters/memory/subscriptions';
import { SqliteAuditLog, SqliteKeyStore } from '../adapters/sqlite/api-keys';
import { SqliteBuckets } from '../adapters/sqlite/buckets';
import { SqliteChangeLog } from '../adapters/sqlite/change-log';
import { SqliteCommits } from '../adapters/sqlite/commits';
import { SqliteConsumers } from '../adapters/sqlite/consumers';
import { Database, type DatabaseOptions } from '../adapters/sqlite/database';
import { SqliteLinks } from '../adapters/sqlite/links';
import { lockFolder } from '../adapters/sqlite/lock';
import { SqliteObjects } from '../adapters/sqlite/objects';
import { SqliteRates } from '../adapters/sqlite/rates';
import { SqliteRestoring } from '../adapters/sqlite/restoring';
import { SqliteServiceState } from '../adapters/sqlite/service-state';
import { SqliteTargetCursors } from '../adapters/sqlite/target-cursors';
import { SqlitePendingCopies, SqliteUploads } from '../adapters/sqlite/uploads';
import type { Clock, Ids } from '../core/system';
import { CONTENT_FOLDER, DATABASE_FILE } from './data-folder/backup';
import { requireOwn } from './data-folder/own-folder';

export interface StoreOptions extends Pick<DatabaseOptions, 'durability'> {
  /** The data folder. Absent: everything is in memory, and ends with the process. */
  readonly folder?: string;
  /** `http://host:port`: where signed URLs lead. */
  readonly origin: string;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Called with the id of each key that was changed, once that is durable. */
  readonly keyChanged?: (keyId: string) => void;
}

export type LocalStores = Awaited<ReturnType<typeof openStores>>;

/**
 * Opens the stores, or creates them, and removes what a process that died has left. Throws when
 * another process has the folder, or a later release wrote it.
 */
export async function openStores(options: StoreOptions) {
  const { folder: root, origin, clock, ids, durability, keyChanged } = options;
  if (root !== undefined) {
    requireOwn(root);
    mkdirSync(root, { recursive: true, mode: 0o700 });
  }
  const unlock = root === undefined ? undefined : lockFolder(root);
  const database = new Database({ file: root && path.join(root, DATABASE_FILE), durability });
  const serviceState = new SqliteServiceState(database);
  const secret = await serviceState.once('content-secret', randomBytes(32).toString('base64url'));
  const folder = await ContentFolder.open(root && path.join(root, CONTENT_FOLDER), ids);
  const signer = new ContentSigner(secret, origin, clock);
  const blobs = new FileBlobs({ database, folder, signer, clock, ids });
  await blobs.sweep();
  const keys = new SqliteKeyStore(database, keyChanged);
  const uploads = new SqliteUploads(database, clock);
  const links = new SqliteLinks(database, clock);
  return {
    buckets: new SqliteBuckets(database),
    objects: new SqliteObjects(database),
    changeLog: new SqliteChangeLog(database),
    commits: new SqliteCommits(database),
    uploads,
    pendingCopies: new SqlitePendingCopies(database, clock),
    blobs,
    partCopies: new FilePartCopies(blobs, folder),
    apiKeys: keys,
    keys,
    audit: new SqliteAuditLog(database),
    rates: new SqliteRates(database),
    slots: new MemorySlots(),
    serviceState,
    restoring: new SqliteRestoring(database),
    subscriptions: new MemorySubscriptions(clock),
    consumers: new SqliteConsumers(database, clock),
    links,
    targetCursors: new SqliteTargetCursors(database),
    /** Answers the requests of signed URLs. */
    answerContent: (request: ContentRequest): Promise<ContentResponse> =>
      answerContent({ blobs, folder, signer, clock }, request),
    /** Removes what has expired, and what nobody can ask for any more. */
    removeExpired: async (): Promise<void> => {
      const at = new Date(clock.now()).toISOString();
      await uploads.removeExpired();
      await links.removeExpired(at);
      await keys.removeSessions(at);
    },
    close: (): void => {
      database.close();
      unlock?.();
    },
  };
}
