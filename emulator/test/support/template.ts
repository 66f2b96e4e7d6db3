import type { ResolvedStack } from '../../src/template/model';
import { resolveStack } from '../../src/template/resolve-stack';

/** The trust policy of a role of a function. */
export const TRUST = {
  Statement: [
    { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } },
  ],
};

/** The reference of a template to an attribute of one of its resources. */
export const attribute = (logicalId: string, name = 'Arn') => ({
  'Fn::GetAtt': [logicalId, name],
});

/** Resolves the stack `test` of a template that has only these resources, and no assets. */
export function resolved(Resources: Readonly<Record<string, unknown>>): ResolvedStack {
  return resolveStack({ stackName: 'test', template: { Resources }, assetPath: (key) => key });
}
