import type { Link, LinkId, Links } from '../../../../core/links/ports';
import type { IdempotencyRecord } from '../../../../core/store/uploads';
import type { Clock } from '../../../../core/system';
import { compareUtf8, copy, type FakeState } from '../state';

const nameOf = ({ bucketId, hash }: LinkId) => `${bucketId}#${hash}`;

/** The Links port in memory. */
export class FakeLinks implements Links {
  constructor(
    private readonly state: FakeState,
    private readonly clock: Clock,
  ) {}

  async create(link: Link, replay?: IdempotencyRecord): Promise<'created' | 'duplicate'> {
    if (this.state.links.has(nameOf(link))) throw new Error('the hash of the new link is in use');
    if (this.isReplayed(replay)) return 'duplicate';
    this.state.links.set(nameOf(link), { link: copy(link) });
    this.state.saveIdempotencyRecord(replay);
    return 'created';
  }

  async get(id: LinkId): Promise<Link | undefined> {
    return copy(this.state.links.get(nameOf(id))?.link);
  }

  async list(bucketId: string, limit: number, after = '') {
    const all = [...this.state.links.values()]
      .map(({ link }) => link)
      .filter((link) => link.bucketId === bucketId && compareUtf8(after, link.hash) < 0)
      .sort((a, b) => compareUtf8(a.hash, b.hash));
    return { items: all.slice(0, limit).map(copy), more: all.length > limit };
  }

  async remove(
    id: LinkId,
    replay?: IdempotencyRecord,
  ): Promise<'removed' | 'absent' | 'duplicate'> {
    if (this.isReplayed(replay)) return 'duplicate';
    if (!this.state.links.delete(nameOf(id))) return 'absent';
    this.state.saveIdempotencyRecord(replay);
    return 'removed';
  }

  async use(id: LinkId, now: number): Promise<boolean> {
    const stored = this.state.links.get(nameOf(id));
    if (!stored || Date.parse(stored.link.expiresAt) <= now) return false;
    const { link } = stored;
    if (link.maxUses !== undefined && link.uses >= link.maxUses) return false;
    this.state.links.set(nameOf(id), { link: { ...link, uses: link.uses + 1 } });
    return true;
  }

  async attempt(
    id: LinkId,
    now: number,
    { burst, intervalMs }: { readonly burst: number; readonly intervalMs: number },
  ): Promise<boolean> {
    const stored = this.state.links.get(nameOf(id));
    if (!stored) return false;
    const until = Math.max(stored.attemptsUntil ?? 0, now);
    if (until > now + (burst - 1) * intervalMs) return false;
    this.state.links.set(nameOf(id), { ...stored, attemptsUntil: until + intervalMs });
    return true;
  }

  private isReplayed(replay: IdempotencyRecord | undefined): boolean {
    return this.state.isReplayed(replay, Math.floor(this.clock.now() / 1000));
  }
}
