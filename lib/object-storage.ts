import { Duration, Lazy, Stack } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { LIMITS } from '../core/limits';
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
import { MeasuredService } from './monitoring/measured-service';
import type { ObjectStorageProps } from './object-storage-props';
import type { IObjectStorage, ObjectStorageAttributes } from './object-storage-reference';
import { ContentBucket } from './storage/content-bucket';
import { useKey } from './storage/encryption';
import { Queues } from './storage/queues';
import { Tables } from './storage/tables';
import type { ChangeTarget, ChangeTargetOptions } from './targets/change-target';
import { ChangeTargets } from './targets/change-targets';
import { validate } from './validate';

/** Settings that functions and REST API share, with their defaults. */
type Settings = Pick<FunctionsProps, 'oidc' | 'rateTiers' | 'originSecrets' | 'responseStreaming'>;

/** Timeout of fanout for one batch. */
const FANOUT_TIMEOUT = Duration.minutes(1);

/**
 * An object storage service with an ordered change log per bucket. This constructor is the diagram
 * of docs/design.md.
 */
export class ObjectStorage extends MeasuredService implements IObjectStorage {
  /**
   * A service that another app has deployed. It has no grants: give them where the service is
   * created, to `iam.Role.fromRoleArn(…)`, or use an API key.
   */
  public static fromAttributes(
    scope: Construct,
    id: string,
    { baseUrl, syncUrl }: ObjectStorageAttributes,
  ): IObjectStorage {
    return Object.assign(new Construct(scope, id), { baseUrl, syncUrl });
  }

  /** The bucket of the blobs. */
  public readonly content: ContentBucket;
  /** The tables. */
  public readonly tables: Tables;
  /** The functions. */
  public readonly functions: Functions;
  /** The queues. */
  public readonly queues: Queues;
  public readonly api: RestApi;
  /** The WebSocket API of the change channel. */
  public readonly channelApi: ChannelApi;
  /** Absent with `edge: false`. */
  public readonly edge?: Edge;
  /** Absent when another issuer signs people in. */
  public readonly signIn?: SignIn;
  private readonly createAccess: () => InternalAccess;
  private internalAccess?: InternalAccess;
  private readonly createTargets: () => ChangeTargets;
  private targets?: ChangeTargets;

  constructor(scope: Construct, id: string, props: ObjectStorageProps = {}) {
    const rateTiers = completeTiers(props.rateTiers);
    super(scope, id, { metrics: props.metrics, tiers: Object.keys(rateTiers) });
    validate(props);
    if (props.edge) validateEdge(props.edge, Stack.of(this).region);
    if (props.encryptionKey) useKey(this, props.encryptionKey);

    this.content = new ContentBucket(this, 'Content', props);
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
    const { responseStreaming = true } = props;
    const settings = { oidc, rateTiers, responseStreaming, originSecrets: originSecret?.accepted };
    this.functions = this.createFunctions(props, settings);
    this.api = this.createRestApi(props, settings);
    this.channelApi.handleBy(this.functions.channel.function);
    if (this.api.logRole !== undefined) this.channelApi.createAfter(this.api.logRole);
    if (originSecret !== undefined) this.edge = this.createEdge(props, originSecret.sent);
    for (const url of props.dashboardUrls ?? [this.baseUrl]) this.signIn?.addPage(url);

    const { content, tables, queues, reporting } = this;
    const alarms = this.addMonitoring(props);
    // The first grant and the first target create these.
    const parts = { ...props, tables, reporting, alarms };
    const timeout = RestApi.apiTimeout;
    this.createAccess = () => new InternalAccess(this, 'Access', { ...parts, content, timeout });
    this.createTargets = () => new ChangeTargets(this, 'Targets', { ...parts, queues });
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

  /** Created with the first grant. */
  private get access(): InternalAccess {
    this.internalAccess ??= this.createAccess();
    return this.internalAccess;
  }

  private createFunctions(props: ObjectStorageProps, settings: Settings): Functions {
    return new Functions(this, 'Functions', {
      ...props,
      ...settings,
      service: this,
      reporting: this.reporting,
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
      retention: props.retention ?? Duration.seconds(LIMITS.retentionDefaultSeconds),
      apiTimeout: RestApi.apiTimeout,
      downloadTimeout: RestApi.downloadTimeout(settings.responseStreaming),
      channelTimeout: ChannelApi.timeout,
      fanoutTimeout: FANOUT_TIMEOUT,
    });
  }

  private createRestApi(props: ObjectStorageProps, settings: Settings): RestApi {
    const { authorizer, api, download, changes, admin, site } = this.functions;
    return new RestApi(this, 'Api', {
      ...props,
      ...settings,
      authorizer: authorizer.function,
      api: api.function,
      download: download.function,
      changes: changes.function,
      admin: admin.function,
      site: site.function,
    });
  }

  private createEdge(props: ObjectStorageProps, originSecret: string): Edge {
    const { download, channel } = this.functions;
    const edge = new Edge(this, 'Edge', {
      ...(props.edge || undefined),
      apis: [this.api, this.channelApi],
      originSecret,
      download: download.function,
      allowedOrigins: props.allowedOrigins,
    });
    edge.changeBefore(this.api.restApi.deploymentStage, channel.function);
    return edge;
  }

  private addMonitoring(props: ObjectStorageProps): Alarms {
    const { functions, tables, queues, channelApi } = this;
    const watched = { service: this, functions, tables, queues };
    const alarms = new Alarms(this, 'Monitoring', { ...props, ...watched, edge: this.edge });
    if (props.cloudWatchDashboard === true) {
      const parts = { ...watched, channelApi, alarms, runbookUrl: props.runbookUrl };
      new ServiceDashboard(this, 'Dashboard', parts);
    }
    return alarms;
  }
}
