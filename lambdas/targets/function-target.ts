import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { Notification } from '../../core/targets/notifications';

/** A Lambda function that is notified of changes. */
export class FunctionTarget {
  constructor(
    private readonly client: LambdaClient,
    private readonly functionArn: string,
  ) {}

  /**
   * 1 Invoke per message, one after the other. A hundred changes with the largest descriptors take
   * 2 MB of the 6 MB that an invocation may carry.
   */
  async send(messages: readonly Notification[]): Promise<number> {
    for (const [sent, message] of messages.entries()) {
      try {
        await this.invoke(message);
      } catch (error) {
        if (sent === 0) throw error;
        return sent;
      }
    }
    return messages.length;
  }

  private async invoke(message: Notification): Promise<void> {
    const { FunctionError, Payload } = await this.client.send(
      new InvokeCommand({ FunctionName: this.functionArn, Payload: JSON.stringify(message) }),
    );
    if (FunctionError === undefined) return;
    const result = Buffer.from(Payload ?? []).toString('utf8');
    throw new Error(`the function failed: ${result.slice(0, 1000)}`);
  }
}
