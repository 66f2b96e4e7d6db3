import type { SlotKind, SlotRequest, Slots } from '../../../../core/access/ports';
import type { FakeState } from '../state';

/** The Slots port in memory. */
export class FakeSlots implements Slots {
  constructor(private readonly state: FakeState) {}

  async take(keyId: string, kind: SlotKind, request: SlotRequest): Promise<boolean> {
    const { holder, limit, now, until } = request;
    const slots = this.state.slotsOf(keyId, kind);
    if (!slots.has(holder) && slots.size >= limit) {
      for (const [other, expiry] of slots) if (expiry <= now) slots.delete(other);
      if (slots.size >= limit) return false;
    }
    slots.set(holder, until);
    return true;
  }

  async release(keyId: string, kind: SlotKind, holder: string, until?: number): Promise<void> {
    const slots = this.state.slotsOf(keyId, kind);
    if (until === undefined || slots.get(holder) === until) slots.delete(holder);
  }

  async holders(keyId: string, kind: SlotKind): Promise<ReadonlyMap<string, number>> {
    return new Map(this.state.slotsOf(keyId, kind));
  }
}
