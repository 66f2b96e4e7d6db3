import { Duration, Lazy, Stack, Validations } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { AccessOptions } from './access/access';
import { InternalAccess } from './access/internal-access';
import { completeTiers } from './access/rate-tiers';
import { SignIn } from './access/sign-in';
import { Functions } from './functions/functions';
import { Schedules } from './functions/schedules';
import { ChannelApi } from './gateway/channel-api';
import { Edge } from './gateway/edge';
import { validateEdge } from './gateway/edge-options';
import { RestApi } from './gateway/rest-api';
import { Alarms } from './monitoring/alarms';
import { ServiceDashboard } from './monitoring/dashboard';
import { ServiceMetrics } from './monitoring/service-metrics';
import type { ObjectStorageProps } from './object-storage-props';
import { ContentBucket } from './storage/content-bucket';
import { useKey } from './storage/encryption';
import { Queues } from './storage/queues';
import { Tables } from './storage/tables';
import type { ChangeTarget, ChangeTargetOptions } from './targets/change-target';
import { ChangeTargets } from './targets/change-targets';
import { validate } from './validate';

/** How long fanout may work on one batch. */
const FANOUT_TIMEOUT = Duration.minutes(1);

/**
 * An object storage service with an ordered change log per bucket. This constructor is the diagram
 * of docs/design.md.
 */
export class ObjectStorage extends ServiceMetrics {
  /** The bucket of the blobs, and what may be done with it. */
  public readonly content: ContentBucket;
  /** The tables. */
  public readonly tables: Tables;
  /** The functions. */
  public readonly functions: Functions;
  /** The queues. */
  public readonly queues: Queues;
  /** The REST API. */
  public readonly api: RestApi;
  /** The WebSocket API of the change channel. */
  public readonly syncApi: ChannelApi;
  /** Absent with `edge: false`. */
  public readonly edge?: Edge;
  /** Absent when another issuer signs people in. */
  public readonly signIn?: SignIn;
  private readonly alarms: Alarms;
  private changeDelivery?: ChangeTargets;
  private internalAccess?: InternalAccess;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ObjectStorageProps = {},
  ) {
    const rateTiers = completeTiers(props.rateTiers);
    super(scope, id, { level: props.metrics ?? 'all', tiers: Object.keys(rateTiers) });
    const retention = props.retention ?? Duration.days(7);
    const responseStreaming = props.responseStreaming ?? true;
    validate({ ...props, retention });
    if (props.edge) validateEdge(props.edge, Stack.of(this).region);
    if (props.encryptionKey) useKey(this, props.encryptionKey);

    // A signed URL is all the authority there is, whichever page holds it: no cookie or key goes
    // with it.
    this.content = new ContentBucket(this, 'Content', { ...props, allowedOrigins: ['*'] });
    this.tables = new Tables(this, 'Tables', props);
    this.queues = new Queues(this, 'Queues', { ...props, consumerTimeout: FANOUT_TIMEOUT });
    this.syncApi = new ChannelApi(this, 'Sync', props);
    let { oidc } = props;
    if (oidc === undefined) {
      this.signIn = new SignIn(this, 'SignIn', props);
      oidc = this.signIn.issuer;
    }
    this.functions = new Functions(this, 'Functions', {
      ...props,
      content: this.content,
      tables: this.tables,
      queues: this.queues,
      syncApi: this.syncApi,
      // The edge needs the APIs' names, and one of these APIs the functions: so it is there after
      // them.
      syncUrl: Lazy.string({ produce: () => this.syncUrl }),
      allowedOrigins: Lazy.string({ produce: () => this.allowedOrigins(props) }),
      oidc,
      responseStreaming,
      retention,
      apiTimeout: RestApi.apiTimeout,
      downloadTimeout: RestApi.downloadTimeout(responseStreaming),
      syncTimeout: ChannelApi.timeout,
      fanoutTimeout: FANOUT_TIMEOUT,
      rateTiers,
      reports: this.reports,
    });
    const { authorizer, api, download, channel, ingest, janitor, admin, site } = this.functions;

    this.api = new RestApi(this, 'Api', {
      ...props,
      authorizer: authorizer.function,
      api: api.function,
      download: download.function,
      admin: admin.function,
      site: site.function,
    });
    if (props.edge !== false) {
      this.edge = new Edge(this, 'Edge', {
        ...props.edge,
        rest: { host: this.api.host, path: RestApi.stagePath },
        sync: { host: this.syncApi.host, path: ChannelApi.stagePath },
      });
    }
    for (const url of props.dashboardUrls ?? [this.baseUrl]) this.signIn?.addPage(url);
    this.syncApi.serveBy(channel.function);
    if (this.api.logRole !== undefined) this.syncApi.createAfter(this.api.logRole);
    this.content.notifyUploads(ingest);
    this.wakeFanout();
    this.wakeRevocation();
    new Schedules(this, 'Schedules', { janitor: janitor.function });
    this.alarms = new Alarms(this, 'Monitoring', { ...props, service: this });
    if (props.cloudWatchDashboard === true) {
      const { alarms } = this;
      new ServiceDashboard(this, 'Dashboard', { ...props, service: this, alarms });
    }
  }

  /**
   * Allows reading and listing objects without an API key, and signing URLs that download them:
   * docs/construct.md.
   */
  public grantRead(grantee: iam.IGrantable, options: AccessOptions = {}): iam.Grant {
    return this.access.grant(grantee, 'read', options);
  }

  /** Allows writing and deleting objects without an API key, and signing URLs that upload them. */
  public grantWrite(grantee: iam.IGrantable, options: AccessOptions = {}): iam.Grant {
    return this.access.grant(grantee, 'write', options);
  }

  /**
   * Allows following changes without an API key, page by page, and the list that this begins with.
   */
  public grantSync(grantee: iam.IGrantable, options: AccessOptions = {}): iam.Grant {
    return this.access.grant(grantee, 'sync', options);
  }

  /** Allows making and deleting buckets without an API key. */
  public grantManageBuckets(
    grantee: iam.IGrantable,
    options: Pick<AccessOptions, 'buckets'> = {},
  ): iam.Grant {
    return this.access.grant(grantee, 'manageBuckets', options);
  }

  /**
   * What the principal of a grant invokes, such as for a variable of its function: an alias of its
   * own. Throws when nothing was granted to it.
   */
  public accessArn(grantee: iam.IGrantable): string {
    return this.access.arnFor(grantee);
  }

  /** Made with the first grant. */
  private get access(): InternalAccess {
    const { props, content, tables, reports, alarms } = this;
    this.internalAccess ??= new InternalAccess(this, 'Access', {
      ...props,
      content,
      tables,
      reports,
      alarms,
      timeout: RestApi.apiTimeout,
    });
    return this.internalAccess;
  }

  /** `https://…/`: where clients find the HTTP interface, and people the dashboard. */
  public get baseUrl(): string {
    return this.edge?.address ?? this.api.address;
  }

  /** `wss://…`: what clients open to follow changes. */
  public get syncUrl(): string {
    return this.edge?.syncUrl ?? this.syncApi.url;
  }

  /**
   * Tells the target of every change, in order, each at least once: docs/construct.md, "React to
   * changes". `id` names the target for as long as it shall go on where it was; of one that is
   * named anew nothing is known.
   */
  public onChange(id: string, target: ChangeTarget, options: ChangeTargetOptions = {}): void {
    const { props, tables, queues, reports, alarms } = this;
    this.changeDelivery ??= new ChangeTargets(this, 'Delivery', {
      ...props,
      tables,
      queues,
      reports,
      alarms,
    });
    this.changeDelivery.add(id, target, options);
  }

  /** Absent without onChange. */
  public get delivery(): ChangeTargets | undefined {
    return this.changeDelivery;
  }

  private get reports() {
    return { namespace: this.metricsNamespace, level: this.metricsLevel };
  }

  /** Of the dashboard's own page, and of those that the deployer names. */
  private allowedOrigins({ allowedOrigins = [], dashboardUrls }: ObjectStorageProps): string {
    const own = (this.edge ?? this.api).origin;
    const pages = dashboardUrls?.map((url) => new URL(url).origin) ?? [own];
    return Stack.of(this).toJsonString([...pages, ...allowedOrigins]);
  }

  /**
   * A stream record is only a wake-up: fanout reads the log itself, and the janitor's minute wakes
   * it too. So a batch that keeps failing is given up soon, instead of blocking its shard for the
   * 24 hours of a stream. Follow-ups wake it for what no record of the stream tells.
   */
  private wakeFanout(): void {
    new lambda.EventSourceMapping(this, 'ChangesToFanout', {
      target: this.functions.fanout.function,
      eventSourceArn: this.tables.changesStreamArn,
      // LATEST may miss what happens while the mapping is being created or changed.
      startingPosition: lambda.StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      // Each entry is removed once, by Trim: nobody needs to be woken for that.
      filters: [lambda.FilterCriteria.filter({ eventName: lambda.FilterRule.isEqual('INSERT') })],
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: 5,
      maxRecordAge: Duration.hours(1),
      onFailure: this.queues.onFailure,
    });
    const followUps = new lambda.EventSourceMapping(this, 'FollowUpsToFanout', {
      target: this.functions.fanout.function,
      eventSourceArn: this.queues.followUps.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
    });
    Validations.of(followUps).acknowledge({
      id: 'Serverless-LambdaEventSourceMappingDestination',
      reason:
        'A mapping of a queue has no such destination: what fails five times is moved to the queue of dead letters by the redrive policy of the queue itself.',
    });
  }

  /** Each change of an API key, because any may end what its channels may follow. */
  private wakeRevocation(): void {
    new lambda.EventSourceMapping(this, 'ApiKeysToRevocation', {
      target: this.functions.revocation.function,
      eventSourceArn: this.tables.apiKeysStreamArn,
      startingPosition: lambda.StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: 10,
      onFailure: this.queues.onFailure,
    });
  }
}
