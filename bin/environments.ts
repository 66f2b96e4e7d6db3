import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import * as logs from 'aws-cdk-lib/aws-logs';
import type { StorageStackProps } from '../lib';
import { parseTiers } from '../lib/rate-tiers';
import { parseEdge } from './edge';
import { parseIssuer } from './issuer';

/** One environment of the context value `environments`, turned into the props of its stack. */
export interface Environment {
  readonly name: string;
  readonly props: StorageStackProps;
}

type Settings = Readonly<Record<string, unknown>>;

/** Reads one setting; throws an Error that names it when its value is not of the expected kind. */
class Reader {
  private readonly read = new Set<string>();

  constructor(
    private readonly name: string,
    private readonly settings: Settings,
  ) {}

  text(key: string): string | undefined {
    const value = this.take(key);
    if (value === undefined || typeof value === 'string') return value;
    throw this.wrong(key, 'a text', value);
  }

  flag(key: string): boolean | undefined {
    const value = this.take(key);
    if (value === undefined || typeof value === 'boolean') return value;
    throw this.wrong(key, 'true or false', value);
  }

  number(key: string): number | undefined {
    const value = this.take(key);
    if (value === undefined || typeof value === 'number') return value;
    throw this.wrong(key, 'a number', value);
  }

  texts(key: string): string[] | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw this.wrong(key, 'a list of texts', value);
  }

  /** Told apart further by whoever takes it. */
  object(key: string): Settings | undefined {
    const value = this.take(key);
    if (value === undefined || isSettings(value)) return value;
    throw this.wrong(key, 'an object', value);
  }

  /** The same, where `false` says that there is to be none. */
  objectOrFalse(key: string): Settings | false | undefined {
    const value = this.take(key);
    if (value === undefined || value === false || isSettings(value)) return value;
    throw this.wrong(key, 'an object or false', value);
  }

  /** One of the keys of `choices`, answered as what it stands for. */
  choice<T>(key: string, choices: Readonly<Record<string, T>>): T | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    const chosen = Object.entries(choices).find(([name]) => name === String(value));
    if (chosen === undefined) throw this.wrong(key, Object.keys(choices).join(', '), value);
    return chosen[1];
  }

  /** Throws when a setting was not read: a misspelt one must not be ignored. */
  finish(): void {
    const unknown = Object.keys(this.settings).filter((key) => !this.read.has(key));
    if (unknown.length > 0) {
      throw new Error(
        `environment ${this.name} has unknown settings ${unknown.join(', ')}: known are ${[...this.read].join(', ')}`,
      );
    }
  }

  private take(key: string): unknown {
    this.read.add(key);
    return this.settings[key];
  }

  private wrong(key: string, expected: string, value: unknown): Error {
    return new Error(
      `environment ${this.name}: ${key} must be ${expected}, got ${JSON.stringify(value)}`,
    );
  }
}

/**
 * Parses the context value `environments`. On the command line (`-c environments='{"name":{…}}'`) it arrives as text
 * and replaces the one of cdk.json.
 */
export function parseEnvironments(context: unknown): readonly Environment[] {
  const value: unknown = typeof context === 'string' ? JSON.parse(context) : context;
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
    return { name, props: stackProps(new Reader(name, settings)) };
  });
}

function stackProps(settings: Reader): StorageStackProps {
  const retentionHours = settings.number('retentionHours');
  const account = settings.text('account');
  const region = settings.text('region');
  const props: StorageStackProps = {
    // Without both, the template fits any account and region.
    env: account === undefined && region === undefined ? undefined : { account, region },
    terminationProtection: settings.flag('terminationProtection'),
    kmsKeyArn: settings.text('kmsKeyArn'),
    storage: {
      retention: retentionHours === undefined ? undefined : Duration.hours(retentionHours),
      removalPolicy: settings.choice('removalPolicy', REMOVAL_POLICIES),
      deletionProtection: settings.flag('deletionProtection'),
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
      edge: parseEdge(settings.objectOrFalse('edge')),
      oidc: parseIssuer(settings.object('oidc')),
      rateTiers: parseTiers(settings.object('rateTiers')),
      requestMemorySize: settings.number('requestMemorySize'),
      backgroundMemorySize: settings.number('backgroundMemorySize'),
      metrics: settings.choice('metrics', METRICS),
      dashboard: settings.flag('dashboard'),
      runbookUrl: settings.text('runbookUrl'),
    },
  };
  settings.finish();
  return props;
}

const REMOVAL_POLICIES = { retain: RemovalPolicy.RETAIN, destroy: RemovalPolicy.DESTROY } as const;

const METRICS = { all: 'all', essential: 'essential', false: false } as const;

/** The periods that CloudWatch Logs knows, by days. */
const LOG_RETENTION: Readonly<Record<string, logs.RetentionDays>> = Object.fromEntries(
  Object.values(logs.RetentionDays)
    .filter((days): days is logs.RetentionDays => typeof days === 'number')
    .filter((days) => days !== logs.RetentionDays.INFINITE)
    .map((days) => [String(days), days]),
);

function isSettings(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
