import { Duration, Lazy, Stack } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as iam from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { completeTiers } from './access/rate-tiers';
import { SignIn } from './access/sign-in';
import { Functions } from './functions/functions';
import type { FunctionsProps } from './functions/functions-props';
import { allowedOrigins } from './gateway/allowed-origins';
import { ChannelApi } from './gateway/channel-api';
import { Edge } from './gateway/edge';
import { validateEdge } from './gateway/edge-options';
import { OriginSecret } from './gateway/origin-secret';
import { RestApi } from './gateway/rest-api';
import { InternalAccess } from './grants/internal-access';
import type { AccessOptions } from './grants/permissions';
import { Alarms } from './monitoring/alarms';
import { ServiceDashboard } from './monitoring/dashboard';
import type { MetricsReporting } from './monitoring/options';
import {
  type RouteMetricOptions,
  ServiceMetrics,
  type TierMetricOptions,
} from './monitoring/service-metrics';
import type { ObjectStorageProps } from './object-storage-props';
import { nameInAccount } from './service-name';
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
export class ObjectStorage extends Construct {
  /** The bucket of the blobs. */
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
  public readonly channelApi: ChannelApi;
  /** Absent with `edge: false`. */
  public readonly edge?: Edge;
  /** Absent when another issuer signs people in. */
  public readonly signIn?: SignIn;
  private readonly metrics: ServiceMetrics;
  private readonly createAccess: () => InternalAccess;
  private internalAccess?: InternalAccess;
  private readonly createTargets: () => ChangeTargets;
  private targets?: ChangeTargets;

  constructor(scope: Construct, id: string, props: ObjectStorageProps = {}) {
    super(scope, id);
    const rateTiers = completeTiers(props.rateTiers);
    validate(props);
    if (props.edge) validateEdge(props.edge, Stack.of(this).region);
    if (props.encryptionKey) useKey(this, props.encryptionKey);
    const reporting = this.reporting(props);

    // A signed URL carries all the authority that S3 checks, and no cookie or key goes with it. So
    // any page may use one.
    this.content = new ContentBucket(this, 'Content', { ...props, allowedOrigins: ['*'] });
    this.tables = new Tables(this, 'Tables', props);
    this.queues = new Queues(this, 'Queues', { ...props, consumerTimeout: FANOUT_TIMEOUT });
    this.channelApi = new ChannelApi(this, 'Sync', props);
    let { oidc } = props;
    if (oidc === undefined) {
      this.signIn = new SignIn(this, 'SignIn', props);
      oidc = this.signIn.issuer;
    }
    const originSecret =
      props.edge === false ? undefined : new OriginSecret(this, 'OriginSecret', props.edge);
    const originSecrets = originSecret?.accepted;
    this.functions = this.createFunctions(props, { oidc, rateTiers, reporting, originSecrets });
    const { authorizer, api, download, changes, channel, admin, site } = this.functions;
    this.api = new RestApi(this, 'Api', {
      ...props,
      originSecrets,
      authorizer: authorizer.function,
      api: api.function,
      download: download.function,
      changes: changes.function,
      ...{ admin: admin.function, site: site.function },
    });
    this.channelApi.handleBy(channel.function);
    if (this.api.logRole !== undefined) this.channelApi.createAfter(this.api.logRole);
    if (originSecret !== undefined) {
      this.edge = new Edge(this, 'Edge', {
        ...(props.edge || undefined),
        apis: [this.api, this.channelApi],
        ...{ originSecret: originSecret.sent, download: download.function },
        allowedOrigins: props.allowedOrigins,
      });
      this.edge.changeBefore(this.api.restApi.deploymentStage, channel.function);
    }
    for (const url of props.dashboardUrls ?? [this.baseUrl]) this.signIn?.addPage(url);

    const { content, tables, queues } = this;
    const tiers = Object.keys(rateTiers);
    this.metrics = new ServiceMetrics(this, { ...reporting, tiers, api: this.api });
    const alarms = this.addMonitoring(props);
    // Only a service that grants access, or has targets, gets these.
    const parts = { ...props, tables, reporting, alarms };
    const timeout = RestApi.apiTimeout;
    this.createAccess = () => new InternalAccess(this, 'Access', { ...parts, content, timeout });
    this.createTargets = () => new ChangeTargets(this, 'Delivery', { ...parts, queues });
  }

  /** `https://…/`: the base URL of the HTTP interface, and the dashboard. */
  public get baseUrl(): string {
    return this.edge?.address ?? this.api.address;
  }

  /** `wss://…`: the URL that clients open to follow changes. */
  public get syncUrl(): string {
    return this.edge?.syncUrl ?? this.channelApi.url;
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
   * Allows following changes without an API key, page by page, and listing the objects, with which
   * a client begins.
   */
  public grantSync(grantee: iam.IGrantable, options: AccessOptions = {}): iam.Grant {
    return this.access.grant(grantee, 'sync', options);
  }

  /** Allows creating and deleting buckets without an API key. */
  public grantManageBuckets(
    grantee: iam.IGrantable,
    options: Pick<AccessOptions, 'buckets'> = {},
  ): iam.Grant {
    return this.access.grant(grantee, 'manageBuckets', options);
  }

  /**
   * The ARN that the principal of a grant invokes, such as for a variable of its function: each
   * principal has an alias of its own. Throws an Error when nothing was granted to the principal.
   */
  public accessArn(grantee: iam.IGrantable): string {
    return this.access.arnFor(grantee);
  }

  /**
   * Notifies the target of every change, in order, each at least once: docs/construct.md, "React to
   * changes". `id` identifies the target from one deployment to the next: a target with another id
   * is a new target.
   */
  public onChange(id: string, target: ChangeTarget, options: ChangeTargetOptions = {}): void {
    this.targets ??= this.createTargets();
    this.targets.add(id, target, options);
  }

  /** Absent without onChange. */
  public get changeTargets(): ChangeTargets | undefined {
    return this.targets;
  }

  /** Namespace of the metrics that the functions report. */
  public get metricsNamespace(): string {
    return this.metrics.namespace;
  }

  /** Requests. Sum. */
  public metricRequests(options?: RouteMetricOptions): cloudwatch.Metric {
    return this.metrics.requests(options);
  }

  /** Responses of status 500 and above. Sum. */
  public metricErrors(options?: RouteMetricOptions): cloudwatch.Metric {
    return this.metrics.errors(options);
  }

  /** Responses of status 400 to 499. Sum. */
  public metricRefusals(options?: RouteMetricOptions): cloudwatch.Metric {
    return this.metrics.refusals(options);
  }

  /**
   * Milliseconds until the response is complete; with a route, until it begins, without the time in
   * the gateway. p99.
   */
  public metricLatency(options?: RouteMetricOptions): cloudwatch.Metric {
    return this.metrics.latency(options);
  }

  /** Requests refused because their key exceeded its rate, by tier. Sum. */
  public metricThrottles(options?: TierMetricOptions): cloudwatch.Metric {
    return this.metrics.throttles(options);
  }

  /** Commits that lost a race with another writer of the same key, and were repeated. Sum. */
  public metricCommitRetries(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metrics.total('CommitRetries', options);
  }

  /** Cursors that a writer allocated and did not use in time. Sum. */
  public metricGapFills(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metrics.total('GapFills', options);
  }

  /** Responses whose body failed while it was sent, mostly because S3 broke off. Sum. */
  public metricCutResponses(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metrics.total('CutResponses', options);
  }

  /** Age of the oldest unpublished change of any bucket in seconds, each minute. Maximum. */
  public metricPublishLag(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metrics.total('PublishLag', options);
  }

  /** Age of the oldest change that a consumer is not done with, seconds, each minute. Maximum. */
  public metricConsumerLag(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metrics.total('ConsumerLag', options);
  }

  /** Channels to which changes could not be pushed; their clients fetch them. Sum. */
  public metricPushFailures(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metrics.total('PushFailures', options);
  }

  /** Bytes of blobs that no record names, found and removed by the reconciler. Sum. */
  public metricOrphanBytes(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metrics.total('OrphanBytes', options);
  }

  /** Created with the first grant. */
  private get access(): InternalAccess {
    this.internalAccess ??= this.createAccess();
    return this.internalAccess;
  }

  private reporting({ metrics = 'all' }: ObjectStorageProps): MetricsReporting {
    return { namespace: `Stowage/${nameInAccount(this, '/')}`, level: metrics || undefined };
  }

  private createFunctions(
    props: ObjectStorageProps,
    made: Pick<FunctionsProps, 'oidc' | 'rateTiers' | 'reporting' | 'originSecrets'>,
  ): Functions {
    const responseStreaming = props.responseStreaming ?? true;
    return new Functions(this, 'Functions', {
      ...props,
      ...made,
      service: this,
      content: this.content,
      tables: this.tables,
      queues: this.queues,
      channelApi: this.channelApi,
      // The edge is created after the functions: it needs the REST API, which needs the functions.
      syncUrl: Lazy.string({ produce: () => this.syncUrl }),
      baseUrl: Lazy.string({ produce: () => this.baseUrl }),
      allowedOrigins: Lazy.string({
        produce: () => allowedOrigins(this, (this.edge ?? this.api).origin, props),
      }),
      responseStreaming,
      retention: props.retention ?? Duration.days(7),
      apiTimeout: RestApi.apiTimeout,
      downloadTimeout: RestApi.downloadTimeout(responseStreaming),
      channelTimeout: ChannelApi.timeout,
      fanoutTimeout: FANOUT_TIMEOUT,
    });
  }

  private addMonitoring(props: ObjectStorageProps): Alarms {
    const { metrics, functions, tables, queues, channelApi } = this;
    const watched = { metrics, functions, tables, queues };
    const alarms = new Alarms(this, 'Monitoring', { ...props, ...watched });
    if (props.cloudWatchDashboard === true) {
      const parts = { ...watched, channelApi, alarms, runbookUrl: props.runbookUrl };
      new ServiceDashboard(this, 'Dashboard', { service: this, ...parts });
    }
    return alarms;
  }
}
