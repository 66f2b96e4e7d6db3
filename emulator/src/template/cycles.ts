import { UserError } from '../errors/user-error';

/**
 * Refuses circular references, as CloudFormation does at deployment. `references` are the logical
 * ids that each resource names by Ref, Fn::GetAtt, Fn::Sub or DependsOn.
 */
export function refuseCycles(references: ReadonlyMap<string, ReadonlySet<string>>): void {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (id: string): void => {
    if (done.has(id)) return;
    const start = path.indexOf(id);
    if (start >= 0) {
      const circle = [...path.slice(start), id].join(' -> ');
      throw new UserError(`circular dependency between resources: ${circle}`);
    }
    path.push(id);
    for (const next of references.get(id) ?? []) visit(next);
    path.pop();
    done.add(id);
  };
  for (const id of references.keys()) visit(id);
}
