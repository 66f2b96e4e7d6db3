import { Construct } from 'constructs';
import { createAdmin } from './admin';
import { createApi } from './api';
import { createAuthorizer } from './authorizer';
import { createChannel } from './channel';
import { createDownload } from './download';
import { createFanout } from './fanout';
import type { FunctionsProps } from './functions-props';
import { createIngest } from './ingest';
import { createJanitor } from './janitor';
import { createRevocation } from './revocation';
import type { ServiceFunction } from './service-function';
import { createSite } from './site';

/**
 * One function per trigger and set of permissions. The file of each has its environment, its grants
 * and what invokes it.
 */
export class Functions extends Construct {
  /** Checks API keys for the gateway. */
  public readonly authorizer: ServiceFunction;
  /** Serves every request except the download of an object. */
  public readonly api: ServiceFunction;
  /** Serves GET and HEAD of an object. */
  public readonly download: ServiceFunction;
  /** Serves the change channel. */
  public readonly channel: ServiceFunction;
  /** Commits presigned uploads that S3 reports. */
  public readonly ingest: ServiceFunction;
  /** Publishes, counts and trims the change log. */
  public readonly fanout: ServiceFunction;
  /** Closes and narrows the channels of revoked and changed API keys. */
  public readonly revocation: ServiceFunction;
  /** Fills gaps in change logs, finds lost uploads, reconciles blobs with records. */
  public readonly janitor: ServiceFunction;
  /** Lets people who have signed in administer API keys. */
  public readonly admin: ServiceFunction;
  /** Serves the files of the dashboard. */
  public readonly site: ServiceFunction;

  /** @internal */
  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    this.authorizer = createAuthorizer(this, props);
    this.api = createApi(this, props);
    this.download = createDownload(this, props);
    this.channel = createChannel(this, props);
    this.ingest = createIngest(this, props);
    this.fanout = createFanout(this, props);
    this.revocation = createRevocation(this, props);
    this.janitor = createJanitor(this, props);
    this.admin = createAdmin(this, props);
    this.site = createSite(this, props);
  }
}
