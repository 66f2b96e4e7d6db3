/**
 * The first look at the change channel of a deployment, BASE_URL with API_KEY: a follower that asks
 * in its handshake, a pushed change, a hole that a dead writer left, a ping, a ticket, a revoked
 * key, a follow-up that cannot be done. So every trigger, queue and grant of the channel is used
 * once. Reads API_KEYS_TABLE, BUCKETS_TABLE and UNDELIVERED_QUEUE_URL, as an operator could. A
 * process of its own, because Node.js reads the certificates to trust when it starts.
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
  await follower.told('subscribed', ({ cursor }) => cursor === 0);
  await follower.told('changes', ({ from, to }) => from === 0 && to === 1);
  await put('second');
  const [pushed] = (await follower.told('changes', ({ to }) => to === 2)).changes as Message[];
  assert.deepEqual([pushed?.cursor, pushed?.type], [2, 'put']);

  await leaveHole(target);
  await put('after the hole');
  const healed = await follower.told('changes', ({ to }) => to === 4);
  const [written, ...others] = healed.changes as Message[];
  assert.deepEqual([written?.cursor, written?.type, others], [4, 'put', []]);
  follower.send({ action: 'ping', cursors: { [bucket]: 4 } });
  assert.deepEqual((await follower.told('pong')).heads, { [bucket]: 4 });

  const ticket = JSON.stringify({ method: 'SYNC', bucket });
  const minted = new URL((await call(target, 'POST', 'signed-url', ticket)).url as string);
  const browser = await opened(`${url}${minted.search}`);
  await browser.told('subscribed');
  assert.equal(typeof (await Follower.open(`${url}${minted.search}`)), 'number', 'a used ticket');
  browser.close();

  await revoke(target);
  await follower.told('goodbye', ({ code }) => code === 4401);
  await until('the channel to be cut', async () => follower.closed !== undefined);
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
  const answer = await fetch(`${target.storage}/${path}`, { method, headers, body });
  if (answer.status !== 201) {
    throw new Error(`${method} ${path}: ${answer.status}: ${await answer.text()}`);
  }
  return (await answer.json()) as Message;
}

/** Takes a number as a writer does, and dies. */
async function leaveHole({ bucket }: Target): Promise<void> {
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
 * A follow-up that nobody understands ends among the dead letters, here without the minutes between
 * two attempts.
 */
async function deadLetter(): Promise<void> {
  const sqs = new SQSClient();
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  const followUps = QueueUrls.find((url) => url.includes('FollowUps'));
  const body = JSON.stringify({ poison: Date.now() });
  await sqs.send(
    new SetQueueAttributesCommand({ QueueUrl: followUps, Attributes: { VisibilityTimeout: '1' } }),
  );
  await sqs.send(new SendMessageCommand({ QueueUrl: followUps, MessageBody: body }));
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
  const key = required('API_KEY');
  await channel({
    storage: `${required('BASE_URL')}/api/v2/storage`,
    bucket: `channel-${Date.now()}`,
    authorization: `Bearer ${key}`,
    keyId: key.split('_')[1] ?? '',
  });
  await deadLetter();
  console.log('channel test passed');
}

void main();
