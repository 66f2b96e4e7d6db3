/**
 * A smoke test of the change channel of a deployment, STOWAGE_URL with STOWAGE_KEY: a client that
 * subscribes in its handshake, a pushed change, a gap that a crashed writer left, a ping, a ticket,
 * a revoked key, and a deferred task that fails. It uses every trigger, queue and grant of the
 * channel once. Needs API_KEYS_TABLE, BUCKETS_TABLE and UNDELIVERED_QUEUE_URL. Runs as a process of
 * its own, because Node.js reads the trusted certificates when it starts.
 */
import assert from 'node:assert/strict';
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import {
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { until } from '../support/until';
import { Follower, type Message, opened } from './follower';

/** Throws on the first thing that is not as documented in docs/api.md. */
async function channel(target: Target): Promise<void> {
  const { storage, bucket, authorization } = target;
  const url = `${storage.replace('http', 'ws')}/sync`;
  const put = (key: string) => call(target, 'PUT', `objects/${bucket}/${key}`, 'bytes');

  assert.equal(typeof (await Follower.open(url)), 'number', 'a handshake without a key');
  await call(target, 'POST', 'buckets', JSON.stringify({ name: bucket }));
  await put('first');

  const follower = await opened(`${url}?bucket=${bucket}&cursor=0`, { authorization });
  await follower.received('subscribed', ({ cursor }) => cursor === 0);
  await follower.received('changes', ({ from, to }) => from === 0 && to === 1);
  await put('second');
  const [pushed] = (await follower.received('changes', ({ to }) => to === 2)).changes as Message[];
  assert.deepEqual([pushed?.cursor, pushed?.type], [2, 'put']);

  await leaveGap(target);
  await put('after the gap');
  const filled = await follower.received('changes', ({ to }) => to === 4);
  const [written, ...others] = filled.changes as Message[];
  assert.deepEqual([written?.cursor, written?.type, others], [4, 'put', []]);
  follower.send({ action: 'ping', cursors: { [bucket]: 4 } });
  assert.deepEqual((await follower.received('pong')).heads, { [bucket]: 4 });

  const ticket = JSON.stringify({ method: 'SYNC', bucket });
  const minted = new URL((await call(target, 'POST', 'signed-url', ticket)).url as string);
  const browser = await opened(`${url}${minted.search}`);
  await browser.received('subscribed');
  assert.equal(typeof (await Follower.open(`${url}${minted.search}`)), 'number', 'a used ticket');
  browser.close();

  await revoke(target);
  await follower.received('goodbye', ({ code }) => code === 4401);
  await until('the channel to be closed', async () => follower.closed !== undefined);
}

interface Target {
  readonly storage: string;
  readonly bucket: string;
  readonly authorization: string;
  readonly keyId: string;
}

async function call(target: Target, method: string, path: string, body: string): Promise<Message> {
  const { authorization } = target;
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(`${target.storage}/${path}`, { method, headers, body });
  if (response.status !== 201) {
    throw new Error(`${method} ${path}: ${response.status}: ${await response.text()}`);
  }
  return (await response.json()) as Message;
}

/** Allocates a cursor as a writer does, and writes no entry there. */
async function leaveGap({ bucket }: Target): Promise<void> {
  await new DynamoDBClient().send(
    new UpdateItemCommand({
      TableName: required('BUCKETS_TABLE'),
      Key: { name: { S: bucket }, entry: { S: 'bucket' } },
      UpdateExpression: 'ADD #cursor :one',
      ConditionExpression: 'attribute_exists(#cursor)',
      ExpressionAttributeNames: { '#cursor': 'cursor' },
      ExpressionAttributeValues: { ':one': { N: '1' } },
    }),
  );
}

async function revoke({ keyId }: Target): Promise<void> {
  await new DynamoDBClient().send(
    new UpdateItemCommand({
      TableName: required('API_KEYS_TABLE'),
      Key: { id: { S: keyId } },
      UpdateExpression: 'SET revoked_at = :now',
      ConditionExpression: 'attribute_exists(id)',
      ExpressionAttributeValues: { ':now': { S: new Date().toISOString() } },
    }),
  );
}

/**
 * Sends a deferred task that the function cannot read, and waits until it is among the dead
 * letters. Shortens the minutes between two attempts to a second.
 */
async function deadLetter(): Promise<void> {
  const sqs = new SQSClient();
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  const taskQueue = QueueUrls.find((url) => url.includes('FollowUps'));
  const body = JSON.stringify({ poison: Date.now() });
  await sqs.send(
    new SetQueueAttributesCommand({ QueueUrl: taskQueue, Attributes: { VisibilityTimeout: '1' } }),
  );
  await sqs.send(new SendMessageCommand({ QueueUrl: taskQueue, MessageBody: body }));
  await until('the dead letter', async () => {
    const letters = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: required('UNDELIVERED_QUEUE_URL') }),
    );
    return letters.Messages?.some(({ Body }) => Body === body) ?? false;
  });
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

async function main(): Promise<void> {
  const key = required('STOWAGE_KEY');
  await channel({
    storage: `${required('STOWAGE_URL')}/api/v2/storage`,
    bucket: `channel-${Date.now()}`,
    authorization: `Bearer ${key}`,
    keyId: key.split('_')[1] ?? '',
  });
  await deadLetter();
  console.log('channel test passed');
}

void main();
