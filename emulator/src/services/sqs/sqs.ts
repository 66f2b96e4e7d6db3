/** SQS. README.md lists the gaps. */

import { UserError } from '../../errors/user-error';
import type { Iam } from '../../iam/iam';
import { servicePermitted } from '../../iam/policies';
import type { QueueSource } from '../events/queue-source';
import { startPostEndpoint } from '../post-endpoint';
import type { Listening } from '../service';
import type { QueueDisorder } from './disorder';
import { errorReply, SqsError } from './errors';
import { Front } from './front';
import type { QueueDefinition } from './queue-definition';
import { Queues } from './queues';

export interface SqsOptions {
  readonly queues: readonly QueueDefinition[];
  /** Folder of this service. Created if missing; used by one service at a time. */
  readonly dataDir: string;
  readonly iam: Iam;
  /** `us-east-1` */
  readonly region: string;
  /** `000000000000` */
  readonly accountId: string;
  /** 0: any free port. */
  readonly port: number;
  /**
   * @default - none: each message is received once, in the order of sending, unless a consumer
   * fails
   */
  readonly disorder?: QueueDisorder;
}

export interface Sqs extends Listening {
  readonly source: QueueSource;
}

/** A batch of messages has at most 1 MiB; JSON may encode one byte in six. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Throws UserError when the port is in use. */
export async function startSqs(options: SqsOptions): Promise<Sqs> {
  const queues = new Queues(options.queues, options.dataDir, options.disorder);
  const front = new Front({ ...options, queues });
  try {
    const endpoint = await startPostEndpoint({
      port: options.port,
      service: 'SQS',
      maxBodyBytes: MAX_BODY_BYTES,
      handle: (request, address) => front.handle(request, address),
      refuse: (status, message) =>
        errorReply(new SqsError('UnknownOperationException', message, status)),
    });
    let stopping: Promise<void> | undefined;
    return {
      endpoint: endpoint.endpoint,
      source: sourceOf(queues, options.iam),
      stop: () => {
        // Waiting receives return without messages.
        if (stopping === undefined) queues.endWaits();
        stopping ??= endpoint.stop().then(() => queues.close());
        return stopping;
      },
    };
  } catch (error) {
    queues.close();
    throw error;
  }
}

function sourceOf(queues: Queues, iam: Iam): QueueSource {
  const find = (arn: string): QueueDefinition => {
    const queue = queues.findByArn(arn);
    if (queue === undefined) throw new UserError(`there is no queue ${arn}`);
    return queue;
  };
  return {
    describe: (arn) => queues.findByArn(arn),
    denial: (roleArn, action, arn) => {
      const resourcePolicy = find(arn).policy;
      return iam.denial({ arn: roleArn, root: false }, { action, resource: arn, resourcePolicy });
    },
    permitsService: (arn, service, sourceArn) =>
      servicePermitted(find(arn).policy, service, {
        action: 'sqs:SendMessage',
        resource: arn,
        context: { 'aws:sourcearn': sourceArn },
      }),
    receive: async (arn, options) => queues.receive(find(arn), options),
    delete: (arn, handles) => {
      for (const handle of handles) queues.delete(find(arn), handle);
    },
    release: (arn, handles) => {
      for (const handle of handles) queues.release(find(arn), handle);
    },
    discard: (arn, handles) => {
      for (const handle of handles) queues.discard(find(arn), handle);
    },
    send: (arn, body, senderArn) => {
      queues.send(find(arn), { body }, senderArn);
    },
  };
}
