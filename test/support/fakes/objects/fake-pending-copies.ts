import type { PendingCopies, PendingCopy } from '../../../../core/store/copies';
import type { IdempotencyRecord, Upload } from '../../../../core/store/uploads';
import type { Clock } from '../../../../core/system';
import type { FakeState } from '../state';
import { FakeUploads } from './fake-uploads';

/** The PendingCopies port in memory. */
export class FakePendingCopies implements PendingCopies {
  private readonly uploads: FakeUploads;

  constructor(
    private readonly state: FakeState,
    clock: Clock,
  ) {
    this.uploads = new FakeUploads(state, clock);
  }

  async begin(upload: Upload, replay?: IdempotencyRecord): Promise<'created' | 'duplicate'> {
    const outcome = await this.uploads.create(upload, replay);
    if (outcome === 'created') this.state.pendingCopies.set(upload.id, 0);
    return outcome;
  }

  async list(): Promise<readonly PendingCopy[]> {
    return [...this.state.pendingCopies].map(([id, until]) => ({ id, until })).sort(byId);
  }

  async claim({ id, until: held }: PendingCopy, until: number): Promise<PendingCopy | undefined> {
    if (this.state.pendingCopies.get(id) !== held) return undefined;
    this.state.pendingCopies.set(id, until);
    return { id, until };
  }

  async remove(id: string): Promise<void> {
    this.state.pendingCopies.delete(id);
  }
}

function byId(a: PendingCopy, b: PendingCopy): number {
  return a.id < b.id ? -1 : 1;
}
