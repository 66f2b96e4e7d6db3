/** A message as a consumer receives it. */
export interface ReceivedMessage {
  readonly id: string;
  /** Valid until the message is received again. */
  readonly handle: string;
  readonly body: string;
  /** Hexadecimal. */
  readonly md5OfBody: string;
  /** `ApproximateReceiveCount`, `AWSTraceHeader` … by AWS's names; times are epoch milliseconds. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface ReceiveOptions {
  /** 1 to 10. */
  readonly limit: number;
  /** Milliseconds to wait for the first message. */
  readonly wait: number;
  /**
   * Milliseconds that the received messages stay hidden; by default the visibility timeout of the
   * queue.
   */
  readonly hideFor?: number;
  /** Ends the wait early, without messages. */
  readonly signal?: AbortSignal;
}

/**
 * The queues of the stack, for event source mappings and destinations. Implemented by the SQS
 * service. Messages survive kill -9.
 */
export interface QueueSource {
  /** undefined: there is no such queue. */
  describe(
    queueArn: string,
  ): { readonly visibilityTimeout: number; readonly fifo?: object } | undefined;
  /** Returns why the role may not perform the action on the queue; undefined when it may. */
  denial(roleArn: string, action: string, queueArn: string): string | undefined;
  /**
   * Reports whether the policy of the queue lets a service send messages on behalf of that
   * resource.
   */
  permitsService(queueArn: string, service: string, sourceArn: string): boolean;
  /** Receives messages, each at least once. A standard queue guarantees no order. */
  receive(queueArn: string, options: ReceiveOptions): Promise<readonly ReceivedMessage[]>;
  /** Deletes completed messages by their handles. */
  delete(queueArn: string, handles: readonly string[]): void;
  /** Makes messages visible again at once. */
  release(queueArn: string, handles: readonly string[]): void;
  /** Moves messages to the dead-letter queue; deletes them if there is none. */
  discard(queueArn: string, handles: readonly string[]): void;
  /** Sends a message, which is on disk when this returns. */
  send(queueArn: string, body: string, senderArn: string): void;
}
