import { type Duration, Lazy, Names, Stack, Token } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct, type IConstruct } from 'constructs';
import { ENV } from '../../lambdas/runtime/env';
import { logVariables, metricsVariables } from '../functions/environment';
import type { MetricsReporting } from '../functions/functions-options';
import { forRequests } from '../functions/functions-props';
import { ServiceFunction, type ServiceFunctionOptions } from '../functions/service-function';
import type { Alarms } from '../monitoring/alarms';
import type { ContentBucket } from '../storage/content-bucket';
import type { Tables } from '../storage/tables';
import {
  type AccessOptions,
  type Authority,
  addGrant,
  type GrantedPermission,
} from './permissions';

export interface InternalAccessProps extends ServiceFunctionOptions {
  readonly content: ContentBucket;
  readonly tables: Tables;
  /** MiB. */
  readonly requestMemorySize?: number;
  readonly timeout: Duration;
  readonly reporting: MetricsReporting;
  readonly alarms: Alarms;
}

/** Bytes of the permissions in a variable of the function: all its variables may take 4 KB. */
const GRANTS_BYTES = 3000;

/** The variable contains the names of the aliases, so they must be short. */
const ALIAS_LENGTH = 40;

interface Grantee {
  readonly alias: lambda.CfnAlias;
  readonly grant: iam.Grant;
  permissions: readonly GrantedPermission[];
}

/**
 * The HTTP interface as a function that IAM principals of the account invoke without an API key.
 * Each principal has an alias, and may invoke no other one. So the invoked ARN identifies the
 * principal, and the function finds its permissions in its own configuration.
 */
export class InternalAccess extends Construct {
  /** The function that is invoked. */
  public readonly service: ServiceFunction;
  /** By principal. */
  private readonly grantees = new Map<IConstruct, Grantee>();

  /** @internal */
  constructor(scope: Construct, id: string, props: InternalAccessProps) {
    super(scope, id);
    const { content, tables } = props;
    this.service = new ServiceFunction(this, 'Internal', {
      ...forRequests(props),
      bundle: 'internal',
      description: 'Serves principals of this account that have no API key',
      environment: {
        ...logVariables(tables),
        [ENV.uploadsTable]: tables.uploads.tableName,
        [ENV.contentBucket]: content.bucket.bucketName,
        ...metricsVariables(props.reporting),
        [ENV.grants]: Lazy.string({ produce: () => this.grantsByAlias() }),
      },
    });
    tables.grantManageBuckets(this.service);
    tables.grantReadObjects(this.service);
    tables.grantListObjects(this.service);
    tables.grantCommit(this.service);
    tables.grantReadSeveralObjects(this.service);
    tables.grantSignUploads(this.service);
    tables.grantConsumers(this.service, 'UpdateItem');
    content.grantRead(this.service);
    content.grantWrite(this.service);
    content.grantUndoWrite(this.service);
    content.grantAbort(this.service);
    content.grantAbortCopy(this.service);
    props.alarms.onInternal(this.service);
  }

  /** @internal Allows the principal to invoke its alias, and adds to the alias's permissions. */
  public grant(grantee: iam.IGrantable, authority: Authority, options: AccessOptions): iam.Grant {
    const known = this.granteeOf(grantee);
    known.permissions = addGrant(known.permissions, authority, options);
    return known.grant;
  }

  /** @internal The ARN that the principal invokes. Throws an Error when it has no grant. */
  public arnFor(grantee: iam.IGrantable): string {
    const known = this.grantees.get(subjectOf(grantee));
    if (known === undefined) {
      throw new Error(
        'nothing was granted to this principal: call grantRead, grantWrite or grantSync first',
      );
    }
    return known.alias.ref;
  }

  private granteeOf(grantee: iam.IGrantable): Grantee {
    const subject = subjectOf(grantee);
    const known = this.grantees.get(subject) ?? this.createAlias(grantee, subject);
    this.grantees.set(subject, known);
    return known;
  }

  private createAlias(grantee: iam.IGrantable, subject: IConstruct): Grantee {
    requireOwnAccount(grantee, Stack.of(this).account);
    const name = Names.uniqueResourceName(subject, { maxLength: ALIAS_LENGTH, separator: '-' });
    const alias = new lambda.CfnAlias(this, name, {
      name,
      functionName: this.service.function.functionName,
      // Function and permissions are deployed together, so older versions have no use.
      functionVersion: '$LATEST',
      description: `For ${subject.node.path}`,
    });
    const grant = iam.Grant.addToPrincipal({
      grantee,
      actions: ['lambda:InvokeFunction'],
      resourceArns: [alias.ref],
    });
    grant.assertSuccess();
    return { alias, grant, permissions: [] };
  }

  private grantsByAlias(): string {
    const grants = [...this.grantees.values()].map(({ alias, permissions }) => [
      alias.name,
      permissions,
    ]);
    const json = JSON.stringify(Object.fromEntries(grants));
    const bytes = Buffer.byteLength(json);
    if (bytes > GRANTS_BYTES) {
      throw new Error(
        `the grants to ${grants.length} principals must take at most ${GRANTS_BYTES} bytes as JSON, got ${bytes}: ` +
          'let principals with the same rights share a role or a managed policy, name fewer buckets, or use API keys',
      );
    }
    return json;
  }
}

/** For a role of another account the CDK reports a successful grant without adding one. */
function requireOwnAccount({ grantPrincipal }: iam.IGrantable, own: string): void {
  const { principalAccount: account = own } = grantPrincipal;
  if (account === own || Token.isUnresolved(account) || Token.isUnresolved(own)) return;
  throw new Error(
    `the principal belongs to the account ${account} and the stack to ${own}: let the principal assume a role of ${own} and grant to that role, or use an API key`,
  );
}

/**
 * The construct that identifies a principal: the role, user or group of a grantee, or a policy that
 * several share.
 */
function subjectOf(grantee: iam.IGrantable): IConstruct {
  const found = [grantee.grantPrincipal, grantee].find((one) => Construct.isConstruct(one));
  if (found !== undefined) return found;
  throw new Error(
    'grant to a role, a user, a group, a managed policy, or a construct with a role such as a function; for a principal that is known by its ARN, use iam.Role.fromRoleArn(…)',
  );
}
