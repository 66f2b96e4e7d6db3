import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ReceiveMessageCommand, SQS } from '@aws-sdk/client-sqs';
import { UserError } from '../../src/errors/user-error';
import type { LocalOptions } from '../../src/runtime/options';
import { type LocalRuntime, startLocal } from '../../src/runtime/runtime';
import { afterTest, useFolder } from '../support/clean-up';
import { sharedEngine } from '../support/engine';
import { smallTemplate, writeCdkOut } from './cdk-out';

/** Starts a DynamoDB engine on the data folder, whose tables are there after a restart. */
export const OWN_ENGINE = { dynamodbEndpoint: '' };

/** Runs a template until the end of the test, by default with the engine that the file shares. */
export async function useRuntime(
  template: unknown = smallTemplate(),
  options: Partial<LocalOptions> = {},
): Promise<{ readonly runtime: LocalRuntime; readonly dataDir: string }> {
  const folder = useFolder();
  const cdkOut = join(folder, 'cdk.out');
  mkdirSync(cdkOut);
  writeCdkOut(cdkOut, template);
  const dataDir = options.dataDir ?? join(folder, 'data');
  const dynamodbEndpoint = options.dynamodbEndpoint ?? (await sharedEngine());
  const ports = { port: 0, s3Port: 0, dynamodbPort: 0, sqsPort: 0 };
  const runtime = await startLocal({ cdkOut, ...ports, ...options, dataDir, dynamodbEndpoint });
  afterTest(() => runtime.stop());
  return { runtime, dataDir };
}

/** Expects that the template is refused, and that neither addresses nor a lock are left. */
export async function expectRefusal(template: unknown, message: string): Promise<void> {
  const dataDir = join(useFolder(), 'data');
  const start = useRuntime(template, { dataDir });
  await expect(start).rejects.toThrow(UserError);
  await expect(start).rejects.toThrow(message);
  expect(existsSync(join(dataDir, 'endpoints.json'))).toBe(false);
  expect(existsSync(join(dataDir, 'runtime.pid'))).toBe(false);
}

/** Receives and deletes `count` messages of the queue of an output, as the developer. */
export async function take(runtime: LocalRuntime, output: string, count = 1): Promise<unknown[]> {
  const client = new SQS({
    region: 'us-east-1',
    endpoint: runtime.endpoints.sqs,
    credentials: runtime.iam.root,
  });
  afterTest(() => client.destroy());
  const QueueUrl = runtime.outputs[output];
  const bodies: unknown[] = [];
  while (bodies.length < count) {
    const receive = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 });
    for (const { Body = '', ReceiptHandle } of (await client.send(receive)).Messages ?? []) {
      bodies.push(JSON.parse(Body));
      await client.deleteMessage({ QueueUrl, ReceiptHandle });
    }
  }
  return bodies;
}
