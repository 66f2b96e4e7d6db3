/** The subjects of the DeferredTasks contract: the fake, and the adapter on the local SQS. */
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { parseDeferredTask, SqsDeferredTasks } from '../../../adapters/sqs/deferred-tasks';
import type { DeferredTask, DeferredTasks } from '../../../core/channel/ports';
import { allowAll } from '../../../emulator/src/iam/allow-all';
import { startSqs } from '../../../emulator/src/services/sqs/sqs';
import { createSqsClient } from '../../../lambdas/runtime/aws-clients';
import { createFakes } from '../../support/fakes/fakes';
import { temporaryFolder } from '../../support/temporary-folder';

export interface DeferredTasksSubject {
  readonly tasks: DeferredTasks;
  /** Milliseconds. */
  now(): number;
  /** Waits for the next task that the consumer receives. */
  next(): Promise<DeferredTask>;
  close(): Promise<void>;
}

export type OpenDeferredTasks = () => Promise<DeferredTasksSubject>;

/** [name, open] of each. */
export const deferredTasksSubjects: readonly (readonly [string, OpenDeferredTasks])[] = [
  ['fake', openFake],
  ['adapter on the local SQS', openLocal],
];

async function openFake(): Promise<DeferredTasksSubject> {
  const { deferredTasks, queue, clock } = createFakes();
  const taken: DeferredTask[] = [];
  return {
    tasks: deferredTasks,
    now: () => clock.now(),
    next: async () => {
      if (taken.length === 0) {
        clock.advance(Math.max(0, (queue.nextAt() ?? 0) - clock.now()));
        taken.push(...queue.take());
      }
      const [task] = taken.splice(0, 1);
      if (task === undefined) throw new Error('the queue is empty');
      return task;
    },
    close: async () => {},
  };
}

async function openLocal(): Promise<DeferredTasksSubject> {
  const data = temporaryFolder('deferred-tasks');
  const [region, accountId, name] = ['us-east-1', '000000000000', 'follow-ups'];
  const iam = allowAll();
  const queue = {
    name,
    arn: `arn:aws:sqs:${region}:${accountId}:${name}`,
    delay: 0,
    visibilityTimeout: 30_000,
    retention: 60_000,
    receiveWait: 0,
    maxMessageBytes: 1_048_576,
  };
  const sqs = await startSqs({
    queues: [queue],
    dataDir: data.folder,
    iam,
    region,
    accountId,
    port: 0,
  });
  // The SQS client of the functions reads the endpoint from the environment.
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: iam.root.accessKeyId,
    AWS_SECRET_ACCESS_KEY: iam.root.secretAccessKey,
  });
  const client = createSqsClient();
  const QueueUrl = `${sqs.endpoint}/${accountId}/${name}`;
  return {
    tasks: new SqsDeferredTasks(client, QueueUrl),
    now: () => Date.now(),
    next: async () => {
      const receive = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 2 });
      const { Messages: [message] = [] } = await client.send(receive);
      const { ReceiptHandle, Body } = message ?? {};
      if (Body === undefined) throw new Error('no message within 2 s');
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      return parseDeferredTask(Body);
    },
    close: async () => {
      client.destroy();
      await sqs.stop();
      data.remove();
    },
  };
}
