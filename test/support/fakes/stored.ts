/** What the tables, queues and connections of the fakes hold beyond the records of the ports. */
import type { HourUsage } from '../../../core/access/ports';
import type { Connection, DeferredTask, Subscription } from '../../../core/channel/ports';
import type { TargetCursor } from '../../../core/targets/ports';

/** What is stored for one API key by the Rates port. */
export interface StoredRate {
  readonly fullAt: Record<string, number>;
  changedAt?: number;
  /** By hour. */
  readonly hours: Map<string, HourUsage['counts']>;
}

/** A row of a connection; `arrival` is GCRA's theoretical arrival time in epoch milliseconds. */
export interface StoredConnection {
  readonly connection: Omit<Connection, 'subscriptions'>;
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  readonly arrival: number;
  readonly refusals: number;
}

/** An open WebSocket connection as the gateway has it. */
export interface OpenChannel {
  readonly deliver: (message: string) => void;
  /** Called when the server disconnects the client. */
  readonly onClose: () => void;
  busy: boolean;
}

export interface QueuedTask {
  readonly task: DeferredTask;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

export interface StoredTargetCursor extends TargetCursor {
  readonly lease?: { readonly holder?: string; readonly until: number };
}
