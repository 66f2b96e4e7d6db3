import { Construct } from 'constructs';
import { createAdminFunction } from './admin';
import { createApiFunction } from './api';
import { createAuthorizerFunction } from './authorizer';
import { createChangesFunction } from './changes';
import { createChannelFunction } from './channel';
import { createDownloadFunction } from './download';
import { createFanoutFunction } from './fanout';
import type { FunctionsProps } from './functions-props';
import { createIngestFunction } from './ingest';
import { createJanitorFunction } from './janitor';
import { createRevocationFunction } from './revocation';
import type { ServiceFunction } from './service-function';
import { createSiteFunction } from './site';

/**
 * One function per trigger and set of permissions. The file of each has its environment, its grants
 * and what invokes it.
 */
export class Functions extends Construct {
  /** Checks API keys for the gateway. */
  public readonly authorizer: ServiceFunction;
  /** Serves every request except downloads of objects and pages of changes. */
  public readonly api: ServiceFunction;
  /** Serves GET and HEAD of an object, and links to one. */
  public readonly download: ServiceFunction;
  /** Serves pages of changes, and requests that wait for a change. */
  public readonly changes: ServiceFunction;
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
    this.authorizer = createAuthorizerFunction(this, props);
    this.api = createApiFunction(this, props);
    this.download = createDownloadFunction(this, props);
    this.changes = createChangesFunction(this, props);
    this.channel = createChannelFunction(this, props);
    this.ingest = createIngestFunction(this, props);
    this.fanout = createFanoutFunction(this, props);
    this.revocation = createRevocationFunction(this, props);
    this.janitor = createJanitorFunction(this, props);
    this.admin = createAdminFunction(this, props);
    this.site = createSiteFunction(this, props);
  }
}
