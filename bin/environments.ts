import { Duration, PermissionsBoundary, RemovalPolicy } from 'aws-cdk-lib';
import * as logs from 'aws-cdk-lib/aws-logs';
import type { ObjectStorageProps, ReservedConcurrency, StorageStackProps } from '../lib';
import { parseTiers } from '../lib/access/rate-tiers';
import { readEdge } from './edge';
import { readIssuer } from './issuer';
import { isSettings, Reader } from './reader';

/** An environment of the context value `environments` with the props of its stack. */
export interface Environment {
  readonly name: string;
  readonly props: StorageStackProps;
}

/**
 * Parses the context value `environments`. From the command line (`-c environments='{"name":{…}}'`)
 * it is a string, which replaces the value of cdk.json. Throws an Error that names what is wrong.
 */
export function parseEnvironments(context: unknown): readonly Environment[] {
  const value: unknown = typeof context === 'string' ? parseText(context) : context;
  if (!isSettings(value) || Object.keys(value).length === 0) {
    throw new Error(
      `context value environments must be an object such as {"dev": {}}, got ${JSON.stringify(value)}: set it in cdk.json`,
    );
  }
  return Object.entries(value).map(([name, settings]) => {
    if (!/^[a-z][a-z0-9-]{0,30}$/.test(name)) {
      throw new Error(
        `environment name '${name}' must be 1-31 of a-z, 0-9 and -, beginning with a letter: it becomes part of the stack name`,
      );
    }
    if (!isSettings(settings)) {
      throw new Error(`environment ${name} must be an object, got ${JSON.stringify(settings)}`);
    }
    return { name, props: stackProps(new Reader(`environment ${name}`, settings)) };
  });
}

/** Whether the web ACL of the environment's edge is in a stack of its own, in another region. */
export function needsWebAclStack({ env, storage }: StorageStackProps): boolean {
  const edge = storage?.edge;
  const hasWebAcl = edge !== false && edge?.requestsPerFiveMinutes !== false;
  return hasWebAcl && env?.region !== undefined && env.region !== 'us-east-1';
}

function parseText(context: string): unknown {
  try {
    return JSON.parse(context);
  } catch (cause) {
    throw new Error(
      `context value environments must be JSON such as {"dev": {}}, got ${context}: check the quotes of the shell`,
      { cause },
    );
  }
}

function stackProps(settings: Reader): StorageStackProps {
  const storage = storageProps(settings);
  const account = settings.pattern('account', /^\d{12}$/, 'the 12 digits of an AWS account');
  const region = settings.pattern('region', REGION, 'a region such as eu-central-1');
  const boundary = settings.text('permissionsBoundary');
  const props: StorageStackProps = {
    // Without both, the template can be deployed to any account and region.
    env: account === undefined && region === undefined ? undefined : { account, region },
    terminationProtection: settings.flag('terminationProtection'),
    tags: settings.inner('tags', (tags) => tags.allTexts()),
    permissionsBoundary:
      boundary === undefined ? undefined : PermissionsBoundary.fromName(boundary),
    kmsKeyArn: settings.text('kmsKeyArn'),
    alarmTopicArn: settings.text('alarmTopicArn'),
    storage,
  };
  settings.finish();
  return props;
}

function storageProps(settings: Reader): ObjectStorageProps {
  const retentionHours = settings.number('retentionHours', 1);
  const consumerLagSeconds = settings.number('consumerLagSeconds', 1);
  return {
    retention: retentionHours === undefined ? undefined : Duration.hours(retentionHours),
    removalPolicy: settings.choice('removalPolicy', REMOVAL_POLICIES),
    deletionProtection: settings.flag('deletionProtection'),
    versioned: settings.flag('versioned'),
    maxReadRequestUnits: settings.number('maxReadRequestUnits'),
    maxWriteRequestUnits: settings.number('maxWriteRequestUnits'),
    responseStreaming: settings.flag('responseStreaming'),
    tracing: settings.flag('tracing'),
    logRetention: settings.choice('logRetentionDays', LOG_RETENTION),
    throttlingRateLimit: settings.number('throttlingRateLimit'),
    throttlingBurstLimit: settings.number('throttlingBurstLimit'),
    syncThrottlingRateLimit: settings.number('syncThrottlingRateLimit'),
    syncThrottlingBurstLimit: settings.number('syncThrottlingBurstLimit'),
    apiGatewayLogRole: settings.flag('apiGatewayLogRole'),
    allowedOrigins: settings.texts('allowedOrigins'),
    dashboardUrls: settings.texts('dashboardUrls'),
    edge: settings.innerOrFalse('edge', readEdge),
    oidc: settings.inner('oidc', readIssuer),
    secondFactor: settings.flag('secondFactor'),
    rateTiers: parseTiers(settings.object('rateTiers')),
    maxWaiting: settings.number('maxWaiting'),
    reservedConcurrency: settings.inner('reservedConcurrency', readReservedConcurrency),
    requestMemorySize: settings.number('requestMemorySize'),
    backgroundMemorySize: settings.number('backgroundMemorySize'),
    alarms: settings.flag('alarms'),
    metrics: settings.choice('metrics', METRICS),
    consumerLag:
      consumerLagSeconds === undefined ? undefined : Duration.seconds(consumerLagSeconds),
    cloudWatchDashboard: settings.flag('cloudWatchDashboard'),
    runbookUrl: settings.pattern('runbookUrl', RUNBOOK, RUNBOOK_FORM),
  };
}

function readReservedConcurrency(settings: Reader): ReservedConcurrency {
  return {
    authorizer: settings.number('authorizer'),
    admin: settings.number('admin'),
    revocation: settings.number('revocation'),
    changes: settings.number('changes'),
  };
}

const REGION = /^[a-z]{2,}(-[a-z]+)+-\d+$/;

const REMOVAL_POLICIES = { retain: RemovalPolicy.RETAIN, destroy: RemovalPolicy.DESTROY } as const;

const RUNBOOK = /^https:\/\/[^#\s]+$/;
const RUNBOOK_FORM = 'an address without a fragment, such as https://wiki.example.com/stowage';

const METRICS = { all: 'all', essential: 'essential', false: false } as const;

/** The periods that CloudWatch Logs supports, by days. */
const LOG_RETENTION: Readonly<Record<string, logs.RetentionDays>> = Object.fromEntries(
  Object.values(logs.RetentionDays)
    .filter((days): days is logs.RetentionDays => typeof days === 'number')
    .filter((days) => days !== logs.RetentionDays.INFINITE)
    .map((days) => [String(days), days]),
);
