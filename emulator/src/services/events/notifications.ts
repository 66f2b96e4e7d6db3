/**
 * S3 event notifications to functions.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 */
import { randomBytes } from 'node:crypto';
import { UserError } from '../../errors/user-error';
import { matchesWildcards } from '../../iam/wildcards';
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import { resourcesOfType } from '../../template/resources';
import { isRecord } from '../../values/json';
import type { LambdaService } from '../lambda/lambda';
import type { S3Event } from './s3-event';

interface Notification {
  readonly logicalId: string;
  readonly bucket: string;
  readonly bucketArn: string;
  /** `s3:ObjectCreated:*` */
  readonly event: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly functionArn: string;
}

/**
 * Returns the function that the S3 service calls for each change. Its promise resolves once the
 * event is on disk in Lambda's queue of asynchronous invocations, and rejects otherwise: S3 then
 * emits the event again. Throws UserError, as PutBucketNotificationConfiguration does, when a
 * function may not be invoked by the bucket.
 */
export function createNotifications(
  stack: ResolvedStack,
  lambda: LambdaService,
): (event: S3Event) => Promise<void> {
  const notifications = resourcesOfType(stack, 'AWS::S3::Bucket').flatMap(readNotifications);
  for (const { logicalId, functionArn, bucketArn } of notifications) {
    if (!lambda.permits(functionArn, { service: 's3.amazonaws.com', arn: bucketArn })) {
      throw new UserError(
        `${logicalId}.NotificationConfiguration: no AWS::Lambda::Permission lets S3 invoke ${functionArn}`,
      );
    }
  }
  return async (event) => {
    const name = `s3:${event.eventName}`;
    for (const notification of notifications) {
      const matches =
        notification.bucket === event.bucket &&
        matchesWildcards(notification.event, name) &&
        event.key.startsWith(notification.prefix) &&
        event.key.endsWith(notification.suffix);
      if (!matches) continue;
      await lambda.invokeAsync(notification.functionArn, record(stack, notification, event), {
        service: 's3.amazonaws.com',
        arn: notification.bucketArn,
      });
    }
  };
}

function readNotifications(bucket: ResolvedResource): readonly Notification[] {
  const { NotificationConfiguration: configuration } = bucket.properties;
  if (!isRecord(configuration)) return [];
  const lambdas = [configuration.LambdaConfigurations ?? []].flat();
  return lambdas.map((entry, index) => {
    const where = `${bucket.logicalId}.NotificationConfiguration.LambdaConfigurations[${index}]`;
    if (!isRecord(entry) || typeof entry.Event !== 'string' || typeof entry.Function !== 'string') {
      throw new UserError(`${where}: Event and Function are missing`);
    }
    if (!/^s3:(ObjectCreated|ObjectRemoved):/.test(entry.Event)) {
      throw new UserError(`${where}.Event: the emulator does not support ${entry.Event}`);
    }
    return {
      logicalId: bucket.logicalId,
      bucket: bucket.physicalId,
      bucketArn: bucket.arn ?? '',
      event: entry.Event,
      functionArn: entry.Function,
      prefix: filterValue(entry.Filter, 'prefix'),
      suffix: filterValue(entry.Filter, 'suffix'),
    };
  });
}

function filterValue(filter: unknown, name: 'prefix' | 'suffix'): string {
  const key = isRecord(filter) ? filter.S3Key : undefined;
  const rules: readonly unknown[] = isRecord(key) ? [key.Rules ?? []].flat() : [];
  const rule = rules.filter(isRecord).find((entry) => String(entry.Name).toLowerCase() === name);
  return rule === undefined ? '' : String(rule.Value);
}

function record(stack: ResolvedStack, notification: Notification, event: S3Event): string {
  return JSON.stringify({
    Records: [
      {
        eventVersion: '2.1',
        eventSource: 'aws:s3',
        awsRegion: stack.region,
        eventTime: event.time,
        eventName: event.eventName,
        userIdentity: { principalId: `AWS:${stack.accountId}` },
        requestParameters: { sourceIPAddress: '127.0.0.1' },
        responseElements: { 'x-amz-request-id': randomBytes(8).toString('hex').toUpperCase() },
        s3: {
          s3SchemaVersion: '1.0',
          configurationId: notification.logicalId,
          bucket: {
            name: event.bucket,
            ownerIdentity: { principalId: stack.accountId },
            arn: notification.bucketArn,
          },
          object: {
            key: formEncode(event.key),
            size: event.size,
            eTag: event.etag,
            sequencer: event.sequencer,
          },
        },
      },
    ],
  });
}

/**
 * Encodes as HTML forms do, except slashes: a space becomes `+`, any other character outside of
 * `A-Za-z0-9-_.*` becomes %XX.
 */
function formEncode(key: string): string {
  return encodeURIComponent(key)
    .replace(/%20/g, '+')
    .replace(/%2F/g, '/')
    .replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
