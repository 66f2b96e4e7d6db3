import { Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { RateTiers } from '../../core/limits';
import { ENV, type EnvName } from '../../lambdas/shared/env';
import type { MetricsLevel } from '../../lambdas/shared/telemetry/metrics';
import type { OidcIssuer } from '../access/sign-in';
import type { ChannelApi } from '../gateway/channel-api';
import type { ContentBucket } from '../storage/content-bucket';
import type { Queues } from '../storage/queues';
import type { Tables } from '../storage/tables';
import type { FunctionsOptions } from './functions-options';
import { packageVersion, ServiceFunction } from './service-function';

export interface FunctionsProps extends FunctionsOptions {
  readonly content: ContentBucket;
  readonly tables: Tables;
  readonly queues: Queues;
  readonly syncApi: ChannelApi;
  /** `wss://…`: what clients open to follow changes. */
  readonly syncUrl: string;
  /** JSON list of the origins of web pages that may open a channel. */
  readonly allowedOrigins: string;
  readonly oidc: OidcIssuer;
  readonly responseStreaming: boolean;
  readonly retention: Duration;
  readonly apiTimeout: Duration;
  readonly downloadTimeout: Duration;
  readonly syncTimeout: Duration;
  readonly fanoutTimeout: Duration;
  /** Complete: see rate-tiers.ts. */
  readonly rateTiers: RateTiers;
  /** What is reported where; see ServiceMetrics. */
  readonly reports: { readonly namespace: string; readonly level: MetricsLevel | undefined };
}

/** One function per trigger and set of permissions: what each gets to know, and what it may do. */
export class Functions extends Construct {
  /** Checks API keys for the gateway. */
  public readonly authorizer: ServiceFunction;
  /** Answers every request but the download of an object. */
  public readonly api: ServiceFunction;
  /** Answers GET and HEAD of an object. */
  public readonly download: ServiceFunction;
  /** Serves the change channel. */
  public readonly channel: ServiceFunction;
  /** Commits presigned uploads that S3 reports. */
  public readonly ingest: ServiceFunction;
  /** Delivers, counts and trims the change log. */
  public readonly fanout: ServiceFunction;
  /** Ends what revoked and narrowed API keys may no longer do. */
  public readonly revocation: ServiceFunction;
  /** Fences quiet logs, finds lost uploads, compares blobs with records. */
  public readonly janitor: ServiceFunction;
  /** Lets people who have signed in administer API keys. */
  public readonly admin: ServiceFunction;
  /** Serves the files of the dashboard. */
  public readonly site: ServiceFunction;

  /** @internal */
  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    const { content, tables, queues, syncApi } = props;
    const request = { ...props, memorySize: props.requestMemorySize ?? 1024 };
    const background = { ...props, memorySize: props.backgroundMemorySize ?? 512 };

    const metrics = metricsVariables(props.reports);
    const blobs = { [ENV.contentBucket]: content.bucket.bucketName };
    const log = {
      [ENV.bucketsTable]: tables.buckets.tableName,
      [ENV.objectsTable]: tables.objects.tableName,
      [ENV.changesTable]: tables.changes.tableName,
    };
    const uploads = { [ENV.uploadsTable]: tables.uploads.tableName };
    const apiKeys = { [ENV.apiKeysTable]: tables.apiKeys.tableName };
    const rates = { [ENV.ratesTable]: tables.rates.tableName };
    const limits = {
      ...apiKeys,
      ...rates,
      [ENV.rateTiers]: Stack.of(this).toJsonString(props.rateTiers),
    };
    const subscriptions = { [ENV.subscriptionsTable]: tables.subscriptions.tableName };
    const followUps = { [ENV.followUpsQueueUrl]: queues.followUps.queueUrl };
    const connections = { [ENV.connectionsEndpoint]: syncApi.connectionsEndpoint };
    const responseMode = { [ENV.responseMode]: props.responseStreaming ? 'stream' : 'buffered' };
    const retention = { [ENV.retentionSeconds]: props.retention.toSeconds().toString() };

    this.authorizer = new ServiceFunction(this, 'Authorizer', {
      ...request,
      bundle: 'authorizer',
      description: 'Checks API keys for the gateway',
      timeout: Duration.seconds(5),
      environment: apiKeys,
    });
    tables.grantAuthorize(this.authorizer);

    this.api = new ServiceFunction(this, 'Api', {
      ...request,
      bundle: 'api',
      description: 'Answers every request but the download of an object',
      timeout: props.apiTimeout,
      environment: {
        ...log,
        ...uploads,
        ...limits,
        ...subscriptions,
        ...blobs,
        ...responseMode,
        ...metrics,
        [ENV.syncUrl]: props.syncUrl,
      },
    });
    tables.grantLimit(this.api);
    tables.grantManageBuckets(this.api);
    tables.grantReadObjects(this.api);
    tables.grantListObjects(this.api);
    tables.grantCommit(this.api);
    tables.grantMintUploads(this.api);
    tables.grantMintTickets(this.api);
    content.grantRead(this.api);
    content.grantWrite(this.api);
    content.grantUndoWrite(this.api);
    content.grantAbort(this.api);

    this.download = new ServiceFunction(this, 'Download', {
      ...request,
      bundle: 'download',
      description: 'Answers GET and HEAD of an object',
      timeout: props.downloadTimeout,
      environment: { ...log, ...limits, ...blobs, ...responseMode, ...metrics },
    });
    tables.grantLimit(this.download);
    tables.grantReadObjects(this.download);
    content.grantRead(this.download);

    this.channel = new ServiceFunction(this, 'Channel', {
      ...request,
      bundle: 'channel',
      description: 'Serves the change channel: handshakes and messages of clients',
      timeout: props.syncTimeout,
      environment: {
        [ENV.bucketsTable]: tables.buckets.tableName,
        [ENV.changesTable]: tables.changes.tableName,
        ...limits,
        ...subscriptions,
        ...followUps,
        ...connections,
        ...metrics,
        [ENV.allowedOrigins]: props.allowedOrigins,
      },
    });
    tables.grantLimit(this.channel);
    tables.grantFollowLog(this.channel);
    tables.grantSubscribe(this.channel);
    queues.grantFollowUp(this.channel);
    syncApi.grantPost(this.channel);
    syncApi.grantDisconnect(this.channel);

    // No bucket name and no grant on the bucket: see ContentBucket.notifyUploads.
    this.ingest = new ServiceFunction(this, 'Ingest', {
      ...background,
      bundle: 'ingest',
      description: 'Commits presigned uploads that S3 reports',
      timeout: Duration.minutes(1),
      environment: { ...log, ...uploads, ...metrics },
    });
    tables.grantCommit(this.ingest);
    tables.grantSettleUploads(this.ingest);

    this.fanout = new ServiceFunction(this, 'Fanout', {
      ...background,
      bundle: 'fanout',
      description: 'Delivers, counts and trims the change log',
      timeout: props.fanoutTimeout,
      environment: {
        ...log,
        ...apiKeys,
        ...subscriptions,
        ...blobs,
        ...retention,
        ...followUps,
        ...connections,
        ...metrics,
      },
    });
    tables.grantReadChangesStream(this.fanout);
    tables.grantAuthorize(this.fanout);
    tables.grantMaintainLog(this.fanout);
    tables.grantSubscribe(this.fanout);
    tables.grantFindFollowers(this.fanout);
    content.grantDelete(this.fanout);
    queues.grantFollowUp(this.fanout);
    queues.grantConsumeFollowUps(this.fanout);
    queues.grantGiveUp(this.fanout);
    syncApi.grantPost(this.fanout);
    syncApi.grantLook(this.fanout);
    syncApi.grantDisconnect(this.fanout);

    this.revocation = new ServiceFunction(this, 'Revocation', {
      ...background,
      bundle: 'revocation',
      description: 'Ends what revoked and narrowed API keys may no longer do',
      timeout: Duration.minutes(1),
      environment: { ...apiKeys, ...rates, ...subscriptions, ...connections },
    });
    tables.grantReadApiKeysStream(this.revocation);
    tables.grantAuthorize(this.revocation);
    tables.grantMarkChange(this.revocation);
    tables.grantRevoke(this.revocation);
    queues.grantGiveUp(this.revocation);
    syncApi.grantPost(this.revocation);
    syncApi.grantDisconnect(this.revocation);

    this.janitor = new ServiceFunction(this, 'Janitor', {
      ...background,
      bundle: 'janitor',
      description: 'Fences quiet logs, finds lost uploads, reconciles blobs with records',
      timeout: Duration.minutes(15),
      environment: { ...log, ...uploads, ...blobs, ...retention, ...metrics },
    });
    tables.grantManageBuckets(this.janitor);
    tables.grantMaintainLog(this.janitor);
    tables.grantReconcile(this.janitor);
    tables.grantCommit(this.janitor);
    tables.grantFindUploads(this.janitor);
    tables.grantSettleUploads(this.janitor);
    content.grantRead(this.janitor);
    content.grantDelete(this.janitor);
    content.grantAbort(this.janitor);

    this.admin = new ServiceFunction(this, 'Admin', {
      ...request,
      bundle: 'admin',
      description: 'Lets people who have signed in administer API keys',
      timeout: props.apiTimeout,
      environment: {
        ...apiKeys,
        ...rates,
        [ENV.auditTable]: tables.audit.tableName,
        [ENV.rateTiers]: Stack.of(this).toJsonString(props.rateTiers),
        ...responseMode,
        ...metrics,
        [ENV.syncUrl]: props.syncUrl,
        ...oidcVariables(props.oidc),
        [ENV.serviceVersion]: packageVersion(),
      },
    });
    tables.grantManageKeys(this.admin);
    tables.grantMarkChange(this.admin);
    tables.grantReadUsage(this.admin);

    this.site = new ServiceFunction(this, 'Site', {
      ...request,
      bundle: 'site',
      description: 'Serves the files of the dashboard',
      timeout: Duration.seconds(10),
      environment: {
        ...responseMode,
        [ENV.siteConnectsTo]: Stack.of(this).toJsonString([
          `https://${content.bucket.bucketRegionalDomainName}`,
          props.syncUrl,
          ...addressesOf(props.oidc),
        ]),
      },
    });
  }
}

/** Nothing where nothing is reported. */
export function metricsVariables({
  namespace,
  level,
}: FunctionsProps['reports']): Readonly<Partial<Record<EnvName, string>>> {
  return level === undefined ? {} : { [ENV.metricsNamespace]: namespace, [ENV.metrics]: level };
}

/** What the dashboard asks while somebody signs in. */
function addressesOf({ issuer, signOutUrl, origins }: OidcIssuer): readonly string[] {
  return [issuer, ...(origins ?? (signOutUrl === undefined ? [] : [signOutUrl]))];
}

function oidcVariables(oidc: OidcIssuer): Readonly<Partial<Record<EnvName, string>>> {
  const { jwksUri, audience, signOutUrl } = oidc;
  return {
    [ENV.oidcIssuer]: oidc.issuer,
    [ENV.oidcClientId]: oidc.clientId,
    [ENV.oidcScopes]: (oidc.scopes ?? ['openid', 'email']).join(' '),
    [ENV.adminClaim]: oidc.claim,
    [ENV.adminClaimValue]: oidc.value,
    ...(jwksUri !== undefined && { [ENV.oidcJwksUri]: jwksUri }),
    ...(audience !== undefined && { [ENV.oidcAudience]: audience }),
    ...(signOutUrl !== undefined && { [ENV.signOutUrl]: signOutUrl }),
  };
}
