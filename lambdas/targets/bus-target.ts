import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { stopAt } from '../../core/stop-signal';
import type { Clock } from '../../core/system';
import type { Notification } from '../../core/targets/notifications';
import { sendInBatches } from './send-in-batches';

/** No further request starts after this time, milliseconds. */
const SENDING_MS = 15_000;

const SOURCE = 'stowage';

/** An EventBridge bus that is notified of changes; each event covers one log entry. */
export class BusTarget {
  constructor(
    private readonly client: EventBridgeClient,
    private readonly bus: string,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** AWS calls: 1 PutEvents per 10 messages. */
  async send(messages: readonly Notification[]): Promise<number> {
    return sendInBatches(
      messages.map((message) => JSON.stringify(message)),
      stopAt(this.clock, this.clock.now() + SENDING_MS),
      (batch, sent) => this.sendBatch(batch, messages.slice(sent)),
    );
  }

  private async sendBatch(texts: readonly string[], messages: readonly Notification[]) {
    const { Entries = [] } = await this.client.send(
      new PutEventsCommand({
        Entries: texts.map((Detail, index) => ({
          Source: SOURCE,
          DetailType: detailType(messages[index]),
          Detail,
          EventBusName: this.bus,
        })),
      }),
    );
    const failed = Entries.findIndex(({ ErrorCode }) => ErrorCode !== undefined);
    return failed === -1 ? texts.length : failed;
  }
}

function detailType(message: Notification | undefined): string {
  if (message?.type !== 'changes') return 'Changes Lost';
  const [change] = message.changes;
  if (change === undefined) return 'Cursor Unused';
  return change.type === 'put' ? 'Object Put' : 'Object Deleted';
}
