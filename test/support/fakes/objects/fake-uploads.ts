import { LIMITS } from '../../../../core/limits';
import type {
  IdempotencyRecord,
  StagedContent,
  Upload,
  Uploads,
} from '../../../../core/store/uploads';
import type { Clock } from '../../../../core/system';
import { compareUtf8, copy, type FakeState } from '../state';

/** Small, so that tests page. */
const PAGE = 25;

/** The Uploads port in memory. */
export class FakeUploads implements Uploads {
  constructor(
    private readonly state: FakeState,
    private readonly clock: Clock,
  ) {}

  async create(upload: Upload, replay?: IdempotencyRecord): Promise<'created' | 'duplicate'> {
    if (this.state.isReplayed(replay, epochSeconds(this.clock))) return 'duplicate';
    if (this.state.uploads.has(upload.id)) throw new Error(`upload ${upload.id} exists`);
    this.state.uploads.set(upload.id, copy(upload));
    this.state.saveIdempotencyRecord(replay);
    return 'created';
  }

  async get(id: string): Promise<Upload | undefined> {
    return copy(this.state.uploads.get(id));
  }

  async renew(upload: Upload): Promise<boolean> {
    if (this.state.uploads.get(upload.id)?.state !== 'pending') return false;
    this.state.uploads.set(upload.id, copy(upload));
    return true;
  }

  async stage(id: string, staged: StagedContent, expiresAt: string): Promise<boolean> {
    const upload = this.state.uploads.get(id);
    if (upload?.state !== 'pending') return false;
    const ttl = Math.floor(Date.parse(expiresAt) / 1000) + LIMITS.uploadRowSeconds;
    this.state.uploads.set(id, copy({ ...upload, state: 'staged', staged, expiresAt, ttl }));
    return true;
  }

  async refuse(id: string, reason: string): Promise<Upload['state'] | undefined> {
    const upload = this.state.uploads.get(id);
    if (!upload || !isOpen(upload)) return upload?.state;
    const ttl = epochSeconds(this.clock) + LIMITS.uploadRowSeconds;
    this.state.uploads.set(id, { ...upload, state: 'refused', reason, ttl });
    return 'refused';
  }

  async expired(
    at: string,
    start = '',
  ): Promise<{ readonly uploads: readonly Upload[]; readonly next?: string }> {
    const uploads = [...this.state.uploads.values()]
      .filter((upload) => isOpen(upload) && upload.expiresAt < at)
      .filter((upload) => compareUtf8(start, upload.id) < 0)
      .sort((a, b) => compareUtf8(a.id, b.id));
    const page = uploads.slice(0, PAGE).map(copy);
    const next = uploads.length > PAGE ? page.at(-1)?.id : undefined;
    return next === undefined ? { uploads: page } : { uploads: page, next };
  }

  async saveIdempotencyRecord(replay: IdempotencyRecord, now: number): Promise<boolean> {
    if (this.state.isReplayed(replay, now)) return false;
    this.state.saveIdempotencyRecord(replay);
    return true;
  }

  async getIdempotencyRecord(id: string, now: number): Promise<IdempotencyRecord | undefined> {
    const replay = this.state.idempotencyRecords.get(id);
    return replay !== undefined && replay.expiresAt > now ? copy(replay) : undefined;
  }
}

/** It may still be committed or refused. */
export function isOpen(upload: Upload | undefined): boolean {
  return upload?.state === 'pending' || upload?.state === 'staged';
}

function epochSeconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}
