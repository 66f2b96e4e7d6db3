/** Splits policies into their smallest grants: one action on one resource. */
import { UserError } from '../errors/user-error';
import type { PolicyDocument, PolicyStatement } from './iam';

export interface Grant {
  readonly action: string;
  /** The resource as in the policy: an ARN, perhaps with wildcards. */
  readonly resource: string;
  readonly condition?: PolicyStatement['Condition'];
}

/**
 * Returns each grant once. `concerns` selects the statements of a resource's policy that name the
 * role.
 */
export function grantsOf(
  policies: readonly PolicyDocument[],
  concerns: (statement: PolicyStatement) => boolean = () => true,
): readonly Grant[] {
  const grants = new Map<string, Grant>();
  for (const statement of allowing(policies)) {
    if (!concerns(statement)) continue;
    const { Action, Resource, Condition: condition } = statement;
    if (Action === undefined || Resource === undefined) {
      throw new UserError('only grants by Action and Resource can be reported: name both');
    }
    for (const action of listOf(Action)) {
      for (const resource of listOf(Resource)) {
        const grant = { action, resource, ...(condition && { condition }) };
        grants.set(JSON.stringify(grant), grant);
      }
    }
  }
  return [...grants.values()];
}

/** Returns the policy without one grant. */
export function withoutGrant(
  { Statement }: PolicyDocument,
  { action, resource, condition }: Grant,
): PolicyDocument {
  return {
    Statement: Statement.flatMap((statement) => {
      const actions = listOf(statement.Action);
      const resources = listOf(statement.Resource);
      const says =
        statement.Effect === 'Allow' &&
        actions.includes(action) &&
        resources.includes(resource) &&
        JSON.stringify(statement.Condition) === JSON.stringify(condition);
      if (!says) return [statement];
      return [
        { ...statement, Action: actions.filter((other) => other !== action) },
        { ...statement, Action: action, Resource: resources.filter((other) => other !== resource) },
      ];
    }),
  };
}

function allowing(policies: readonly PolicyDocument[]): readonly PolicyStatement[] {
  return policies.flatMap(({ Statement }) => Statement.filter(({ Effect }) => Effect === 'Allow'));
}

function listOf(value: string | readonly string[] = []): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}
