import type { SlotKind, SlotRequest, Slots } from '../../core/access/ports';

/** The Slots port of one process. Every slot is free when the process starts. */
export class MemorySlots implements Slots {
  /** Key id and kind -> holder -> end, epoch milliseconds. */
  private readonly keys = new Map<string, Map<string, number>>();

  async take(keyId: string, kind: SlotKind, request: SlotRequest): Promise<boolean> {
    const { holder, limit, now, until } = request;
    const slots = this.slotsOf(keyId, kind);
    if (!slots.has(holder) && slots.size >= limit) {
      for (const [other, end] of slots) if (end <= now) slots.delete(other);
      if (slots.size >= limit) return false;
    }
    slots.set(holder, until);
    return true;
  }

  async release(keyId: string, kind: SlotKind, holder: string, until?: number): Promise<void> {
    const slots = this.slotsOf(keyId, kind);
    if (until === undefined || slots.get(holder) === until) slots.delete(holder);
    if (slots.size === 0) this.keys.delete(`${keyId}#${kind}`);
  }

  async holders(keyId: string, kind: SlotKind): Promise<ReadonlyMap<string, number>> {
    return new Map(this.slotsOf(keyId, kind));
  }

  private slotsOf(keyId: string, kind: SlotKind): Map<string, number> {
    const name = `${keyId}#${kind}`;
    const slots = this.keys.get(name) ?? new Map<string, number>();
    this.keys.set(name, slots);
    return slots;
  }
}
