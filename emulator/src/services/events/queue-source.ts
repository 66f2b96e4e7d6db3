/** A message as a consumer gets it. */
export interface ReceivedMessage {
  readonly id: string;
  /** Good until the message is received again. */
  readonly handle: string;
  readonly body: string;
  /** Hexadecimal. */
  readonly md5OfBody: string;
  /** `ApproximateReceiveCount`, `SentTimestamp` … by AWS's names; times are epoch milliseconds. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface ReceiveOptions {
  /** 1 to 10. */
  readonly limit: number;
  /** Milliseconds to wait for the first message. */
  readonly wait: number;
  /**
   * Milliseconds that what is received stays hidden; the queue's own visibility timeout by default.
   */
  readonly hideFor?: number;
  /** Ends the wait early; nothing is received then. */
  readonly signal?: AbortSignal;
}

/**
 * The local queues, for event source mappings and destinations. Implemented by SQS; what it holds
 * survives kill -9.
 */
export interface QueueSource {
  /** undefined: there is no such queue. */
  describe(
    queueArn: string,
  ): { readonly visibilityTimeout: number; readonly fifo?: object } | undefined;
  /** Why the role may not do it to the queue; undefined when it may. */
  denial(roleArn: string, action: string, queueArn: string): string | undefined;
  /** Whether the queue's own policy lets a service send on behalf of that resource. */
  admits(queueArn: string, service: string, sourceArn: string): boolean;
  /** At least once, in no order that can be relied on. */
  receive(queueArn: string, options: ReceiveOptions): Promise<readonly ReceivedMessage[]>;
  /** Done with, by their handles. */
  delete(queueArn: string, handles: readonly string[]): void;
  /** Makes messages visible again at once. */
  giveBack(queueArn: string, handles: readonly string[]): void;
  /** On disk when this returns. */
  send(queueArn: string, body: string, senderArn: string): void;
}
