/**
 * Reports which grants the calls of the functions' roles needed, and which calls were refused. A
 * call needs a grant if the role's policies without that grant refuse it.
 */
import { type Grant, grantsOf, withoutGrant } from './grants';
import type { AccessRequest, PolicyDocument, PolicyStatement, Principal } from './iam';
import { decide, grantedTo } from './policies';

/** The policies of a role, and those of resources that name it. */
export interface RolePolicies {
  /** The logical id in the template. */
  readonly role: string;
  readonly arn: string;
  readonly identity: readonly PolicyDocument[];
  readonly resources: readonly PolicyDocument[];
}

export interface ReportedGrant extends Grant {
  /**
   * A call that is allowed with this grant and refused without it. Absent: no recorded call needs
   * it.
   */
  readonly neededBy?: string;
}

export interface AccessReport {
  /** By the logical id of the role. */
  readonly roles: Readonly<
    Record<
      string,
      { readonly grants: readonly ReportedGrant[]; readonly refused: readonly string[] }
    >
  >;
}

interface Seen {
  readonly request: AccessRequest;
  readonly allowed: boolean;
}

export class AccessRecorder {
  private readonly roles: ReadonlyMap<string, RolePolicies & { readonly grants: readonly Grant[] }>;
  /** By role: the first of the calls to which the same grants apply. */
  private readonly seen = new Map<string, Map<string, Seen>>();

  constructor(roles: readonly RolePolicies[]) {
    this.roles = new Map(
      roles.map((role) => {
        const concerns = (statement: PolicyStatement) => grantedTo(statement, role.arn);
        const grants = [...grantsOf(role.identity), ...grantsOf(role.resources, concerns)];
        return [role.arn, { ...role, grants }];
      }),
    );
  }

  record(principal: Principal, request: AccessRequest, allowed: boolean): void {
    const role = this.roles.get(principal.arn);
    if (role === undefined) return;
    const applying = role.grants.flatMap((grant, index) =>
      allows(principal, [{ Statement: [statementOf(grant)] }], request) ? [index] : [],
    );
    const kind = `${request.action} ${allowed} ${allowed ? applying : request.resource}`;
    const seen = this.seen.get(principal.arn) ?? new Map<string, Seen>();
    this.seen.set(principal.arn, seen);
    if (!seen.has(kind)) seen.set(kind, { request, allowed });
  }

  report(): AccessReport {
    const roles = [...this.roles.values()].map((role) => {
      const seen = [...(this.seen.get(role.arn)?.values() ?? [])];
      const grants = role.grants.map((grant) => {
        const needing = seen.find(({ request, allowed }) => allowed && needs(role, grant, request));
        return { ...grant, ...(needing && { neededBy: described(needing.request) }) };
      });
      const refused = seen
        .filter(({ allowed }) => !allowed)
        .map(({ request }) => described(request));
      return [role.role, { grants, refused }] as const;
    });
    return { roles: Object.fromEntries(roles) };
  }
}

function needs({ arn, identity }: RolePolicies, grant: Grant, request: AccessRequest): boolean {
  const { resourcePolicy } = request;
  return !allows(
    { arn, root: false },
    identity.map((policy) => withoutGrant(policy, grant)),
    {
      ...request,
      resourcePolicy: resourcePolicy && withoutGrant(resourcePolicy, grant),
    },
  );
}

function allows(
  principal: Principal,
  policies: readonly PolicyDocument[],
  request: AccessRequest,
): boolean {
  return decide(principal, policies, request).allowed;
}

function statementOf({ action, resource, condition }: Grant): PolicyStatement {
  return { Effect: 'Allow', Action: action, Resource: resource, Condition: condition };
}

function described({ action, resource, context = {} }: AccessRequest): string {
  const keys = context['dynamodb:leadingkeys'];
  return `${action} ${resource}${keys === undefined ? '' : ` of ${keys}`}`;
}
