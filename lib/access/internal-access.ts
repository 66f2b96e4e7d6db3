import { type Duration, Lazy, Names, Stack, Token } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct, type IConstruct } from 'constructs';
import { ENV } from '../../lambdas/shared/env';
import { metricsVariables } from '../functions/environment';
import { ServiceFunction, type ServiceFunctionOptions } from '../functions/service-function';
import type { Alarms } from '../monitoring/alarms';
import type { MetricsReporting } from '../monitoring/options';
import type { ContentBucket } from '../storage/content-bucket';
import type { Tables } from '../storage/tables';
import { type AccessOptions, type Authority, addGrant, type GrantedPermission } from './access';

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

/** Keeps the names of aliases, which stand in that variable, short. */
const ALIAS_LENGTH = 40;

interface Grantee {
  readonly alias: lambda.CfnAlias;
  readonly grant: iam.Grant;
  permissions: readonly GrantedPermission[];
}

/**
 * The HTTP interface as a function that IAM principals of the account invoke, without an API key.
 * Each principal has an alias of its own, and may invoke no other: so the function knows who asks
 * by the ARN that Lambda was asked for, and looks up in its own configuration what for.
 */
export class InternalAccess extends Construct {
  /** The function that is invoked. */
  public readonly service: ServiceFunction;
  /** By principal. */
  private readonly grantees = new Map<IConstruct, Grantee>();

  /** @internal */
  constructor(scope: Construct, id: string, props: InternalAccessProps) {
    super(scope, id);
    const { content, tables, timeout, requestMemorySize: memorySize = 1024 } = props;
    this.service = new ServiceFunction(this, 'Internal', {
      ...props,
      bundle: 'internal',
      description: 'Answers principals of this account that have no API key',
      timeout,
      memorySize,
      environment: {
        [ENV.bucketsTable]: tables.buckets.tableName,
        [ENV.objectsTable]: tables.objects.tableName,
        [ENV.changesTable]: tables.changes.tableName,
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
    tables.grantMintUploads(this.service);
    content.grantRead(this.service);
    content.grantWrite(this.service);
    content.grantUndoWrite(this.service);
    content.grantAbort(this.service);
    props.alarms.onInternal(this.service);
  }

  /** @internal Lets the principal invoke its alias, and widens what that is good for. */
  public grant(grantee: iam.IGrantable, authority: Authority, options: AccessOptions): iam.Grant {
    const known = this.granteeOf(grantee);
    known.permissions = addGrant(known.permissions, authority, options);
    return known.grant;
  }

  /** @internal The ARN that the principal invokes. Throws when nothing was granted to it. */
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
    const known = this.grantees.get(subject) ?? this.admit(grantee, subject);
    this.grantees.set(subject, known);
    return known;
  }

  private admit(grantee: iam.IGrantable, subject: IConstruct): Grantee {
    requireOwnAccount(grantee, Stack.of(this).account);
    const name = Names.uniqueResourceName(subject, { maxLength: ALIAS_LENGTH, separator: '-' });
    const alias = new lambda.CfnAlias(this, name, {
      name,
      functionName: this.service.function.functionName,
      // The service deploys the function and what may be asked of it together: there is nothing
      // that an older version would be good for.
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
        `what was granted to ${grants.length} principals must take at most ${GRANTS_BYTES} bytes as JSON, got ${bytes}: ` +
          'let principals of the same rights share a role or a managed policy, name fewer buckets, or give API keys',
      );
    }
    return json;
  }
}

/** To a role of another account the CDK adds nothing, and says that it did. */
function requireOwnAccount({ grantPrincipal }: iam.IGrantable, own: string): void {
  const { principalAccount: account = own } = grantPrincipal;
  if (account === own || Token.isUnresolved(account) || Token.isUnresolved(own)) return;
  throw new Error(
    `the principal is of the account ${account}, and the stack of ${own}: let it assume a role of ${own}, and grant to that, or give it an API key`,
  );
}

/**
 * What tells one principal from another: the role, user or group behind a grantee, or a policy that
 * several share.
 */
function subjectOf(grantee: iam.IGrantable): IConstruct {
  const found = [grantee.grantPrincipal, grantee].find((one) => Construct.isConstruct(one));
  if (found !== undefined) return found;
  throw new Error(
    'grant to a role, a user, a group, a managed policy, or what has a role, such as a function; for a principal that is known by its ARN, to iam.Role.fromRoleArn(…)',
  );
}
