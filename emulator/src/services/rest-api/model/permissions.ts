/** Reads which functions AWS::Lambda::Permission permits API Gateway to invoke. */
import type { ResolvedStack } from '../../../template/model';
import { Properties } from '../../../template/properties';
import { arnParts, matchesArn, parseArnPattern } from './arn';

/** Whether API Gateway may invoke the function for this source (`arn:aws:execute-api:…`). */
export type MayInvoke = (functionArn: string, sourceArn: string) => boolean;

const INVOKING_ACTIONS = new Set(['lambda:InvokeFunction', 'lambda:*', '*']);

export function readPermissions(stack: ResolvedStack): MayInvoke {
  const allowed = new Map<string, ((sourceArn: string) => boolean)[]>();
  for (const resource of stack.resources.values()) {
    if (resource.type !== 'AWS::Lambda::Permission') continue;
    const permission = new Properties(resource);
    if (permission.string('Principal') !== 'apigateway.amazonaws.com') continue;
    if (!INVOKING_ACTIONS.has(permission.string('Action'))) continue;
    permission.only('Action', 'FunctionName', 'Principal', 'SourceAccount', 'SourceArn');
    // The guard against a confused deputy: invocations by the stack's API carry its account.
    if ((permission.optionalString('SourceAccount') ?? stack.accountId) !== stack.accountId)
      continue;
    const arn = fullArn(stack, permission.string('FunctionName'));
    const sources = allowed.get(arn) ?? [];
    allowed.set(arn, [...sources, sourceTest(permission)]);
  }
  return (functionArn, sourceArn) =>
    allowed.get(functionArn)?.some((test) => test(sourceArn)) ?? false;
}

function sourceTest(permission: Properties): (sourceArn: string) => boolean {
  const source = permission.optionalString('SourceArn');
  if (source === undefined) return () => true;
  const pattern = parseArnPattern(source);
  if (pattern === undefined) return permission.refuse(`is not an ARN: ${source}`, 'SourceArn');
  return (sourceArn) => matchesArn(pattern, arnParts(sourceArn));
}

/** FunctionName is a name, `account:function:name`, or an ARN. */
function fullArn(stack: ResolvedStack, name: string): string {
  if (name.startsWith('arn:')) return name;
  const bare = /^\d{12}:function:(.+)$/.exec(name)?.[1] ?? name;
  return `arn:aws:lambda:${stack.region}:${stack.accountId}:function:${bare}`;
}
