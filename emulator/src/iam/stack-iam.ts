/** The Iam of a stack: its roles with the policies attached to them, and the developer. */

import { UserError } from '../errors/user-error';
import type { ResolvedResource, ResolvedStack } from '../template/model';
import { resourcesOfType } from '../template/resources';
import { isRecord } from '../values/json';
import type { AccessRecorder } from './access-report';
import { deriveCredentials, endOfSession, sessionToken } from './credentials';
import { denialMessage } from './denial';
import type { Credentials, Iam, KnownCredentials, PolicyDocument, Principal } from './iam';
import { parsePolicy } from './policies';
import { RecentMap } from './recent-map';

/** Each execution environment of a function has a session. */
const KEPT_SESSIONS = 500;

export interface Role {
  readonly logicalId: string;
  readonly principal: Principal;
  readonly credentials: Credentials;
  readonly policies: PolicyDocument[];
}

/**
 * Loads roles and policies. `seed` is a secret: the same seed yields the same credentials.
 * `recorder` receives every decision. Throws UserError naming a policy that cannot be evaluated
 * exactly.
 */
export function createStackIam(stack: ResolvedStack, seed: string, recorder?: AccessRecorder): Iam {
  const roles = [...loadRoles(stack, seed).values()];
  const rootPrincipal: Principal = { arn: `arn:aws:iam::${stack.accountId}:root`, root: true };
  const root = deriveCredentials(seed, 'AKIA', rootPrincipal.arn);
  const policies = new Map(roles.map((role) => [role.principal.arn, role.policies]));
  const credentials = new Map(roles.map((role) => [role.principal.arn, role.credentials]));
  const byAccessKey = new Map(
    [{ credentials: root, principal: rootPrincipal }, ...roles].map((entry) => [
      entry.credentials.accessKeyId,
      { ...entry.credentials, principal: entry.principal },
    ]),
  );

  /** The sessions of valid tokens, by access key and token. When they end is checked each time. */
  const sessions = new RecentMap<string, KnownCredentials>(KEPT_SESSIONS);

  return {
    root,
    credentials: (accessKeyId, token) => {
      const known = byAccessKey.get(accessKeyId);
      if (known?.sessionToken === undefined || token === undefined) return known;
      const name = `${accessKeyId} ${token}`;
      const kept = sessions.get(name);
      if (kept !== undefined) return kept;
      const until = endOfSession(seed, known.principal.arn, token);
      if (until === undefined) return known;
      return sessions.set(name, { ...known, sessionToken: token, until });
    },
    credentialsForRole: (roleArn, until) => {
      const found = credentials.get(roleArn);
      if (found === undefined) throw new UserError(`the template has no role ${roleArn}`);
      return until === undefined
        ? found
        : { ...found, sessionToken: sessionToken(seed, roleArn, until) };
    },
    denial: (principal, request) => {
      const denial = denialMessage(principal, policies.get(principal.arn) ?? [], request);
      recorder?.record(principal, request, denial === undefined);
      return denial;
    },
  };
}

/** By physical id. */
export function loadRoles(stack: ResolvedStack, seed: string): ReadonlyMap<string, Role> {
  const roles = new Map(
    resourcesOfType(stack, 'AWS::IAM::Role').map((resource) => [
      resource.physicalId,
      loadRole(resource, seed),
    ]),
  );
  attachPolicies(stack, roles);
  return roles;
}

function loadRole({ logicalId, properties, arn = '' }: ResolvedResource, seed: string): Role {
  const inline = listOf(properties.Policies).map((policy, index) => {
    const where = `${logicalId}.Policies[${index}].PolicyDocument`;
    return parsePolicy(isRecord(policy) ? policy.PolicyDocument : undefined, where);
  });
  parsePolicy(properties.AssumeRolePolicyDocument, `${logicalId}.AssumeRolePolicyDocument`);
  return {
    logicalId,
    principal: { arn, root: false },
    credentials: deriveCredentials(seed, 'ASIA', arn),
    policies: inline,
  };
}

/** The managed policies of AWS, as far as they concern the emulated services. */
const MANAGED_POLICIES: Readonly<Record<string, PolicyDocument>> = {
  'service-role/AWSLambdaBasicExecutionRole': allow('logs:*'),
  'service-role/AmazonAPIGatewayPushToCloudWatchLogs': allow('logs:*'),
  AWSXRayDaemonWriteAccess: allow('xray:*'),
  CloudWatchLambdaInsightsExecutionRolePolicy: allow('logs:*'),
};

function allow(action: string): PolicyDocument {
  return { Statement: [{ Effect: 'Allow', Action: action, Resource: '*' }] };
}

function attachPolicies(stack: ResolvedStack, roles: ReadonlyMap<string, Role>): void {
  const attach = (roleName: unknown, document: PolicyDocument, where: string) => {
    const role = roles.get(String(roleName));
    if (role === undefined) throw new UserError(`${where}: the template has no role ${roleName}`);
    role.policies.push(document);
  };
  const documents = new Map<string, PolicyDocument>();
  for (const type of ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy']) {
    for (const { logicalId, physicalId, properties } of resourcesOfType(stack, type)) {
      const document = parsePolicy(properties.PolicyDocument, `${logicalId}.PolicyDocument`);
      documents.set(physicalId, document);
      for (const name of listOf(properties.Roles)) attach(name, document, `${logicalId}.Roles`);
    }
  }
  for (const role of resourcesOfType(stack, 'AWS::IAM::Role')) {
    for (const managed of listOf(role.properties.ManagedPolicyArns)) {
      const arn = String(managed);
      const name = arn.replace(/^arn:aws:iam::aws:policy\//, '');
      const known = Object.hasOwn(MANAGED_POLICIES, name) ? MANAGED_POLICIES[name] : undefined;
      const document = known ?? documents.get(arn);
      const where = `${role.logicalId}.ManagedPolicyArns`;
      if (document === undefined) {
        throw new UserError(`${where}: the emulator does not know the policy ${arn}`);
      }
      attach(role.physicalId, document, where);
    }
  }
}

/**
 * Reports whether the role's trust policy lets the service (`lambda.amazonaws.com`) assume the
 * role.
 */
export function mayAssume(role: ResolvedResource, service: string): boolean {
  const where = `${role.logicalId}.AssumeRolePolicyDocument`;
  return parsePolicy(role.properties.AssumeRolePolicyDocument, where).Statement.some(
    (statement) =>
      statement.Effect === 'Allow' &&
      listOf(statement.Action).includes('sts:AssumeRole') &&
      isRecord(statement.Principal) &&
      listOf(statement.Principal.Service).includes(service),
  );
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
