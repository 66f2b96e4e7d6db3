import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const CDK_OUT = path.join(__dirname, '..', '..', '..', 'cdk.out');
const TEMPLATE = 'stowage-dev.template.json';

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

/** Function (as in the construct's id), action, and a text that the resource contains. */
export type TakenGrant = readonly [functionName: string, action: string, resource: string];

/** Returns the statements without one action on the resources whose text contains `resource`. */
function without(statements: readonly Statement[], action: string, resource: string): Statement[] {
  return statements.flatMap((statement) => {
    const actions = [statement.Action].flat();
    const resources = [statement.Resource].flat();
    const others = resources.filter((one) => !JSON.stringify(one).includes(resource));
    if (!actions.includes(action) || others.length === resources.length) return [statement];
    return [
      { ...statement, Action: actions.filter((one) => one !== action) },
      { ...statement, Action: action, Resource: others },
    ];
  });
}

/** Writes a synthesized stack to `folder` in which each of these functions lacks a grant. */
export function cdkOutWithout(folder: string, taken: readonly TakenGrant[]): string {
  mkdirSync(folder, { recursive: true });
  for (const entry of readdirSync(CDK_OUT)) {
    if (entry !== TEMPLATE) symlinkSync(path.join(CDK_OUT, entry), path.join(folder, entry));
  }
  const template = JSON.parse(readFileSync(path.join(CDK_OUT, TEMPLATE), 'utf8'));
  for (const [functionName, action, resource] of taken) {
    const id = Object.keys(template.Resources).find((one) =>
      one.startsWith(`StorageFunctions${functionName}RoleDefaultPolicy`),
    );
    const document = template.Resources[id ?? ''].Properties.PolicyDocument;
    const left = without(document.Statement, action, resource);
    if (left.length <= document.Statement.length) {
      throw new Error(`${functionName} has no ${action} on ${resource}`);
    }
    document.Statement = left;
  }
  writeFileSync(path.join(folder, TEMPLATE), JSON.stringify(template));
  return folder;
}
