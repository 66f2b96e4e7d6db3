import { join } from 'node:path';
import type { ResolvedStack } from '../../src/template/model';
import { resolveStack } from '../../src/template/resolve-stack';
import { attribute, TRUST } from '../support/template';

/** A stack with a role `Role` and functions by logical id; their code is in `folder`. */
export function functionStack(
  functions: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  others: Readonly<Record<string, unknown>> = {},
  folder = join(__dirname, 'functions'),
): ResolvedStack {
  const resources = Object.entries(functions).map(([logicalId, properties]) => [
    logicalId,
    {
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: logicalId,
        Code: { S3Bucket: 'assets', S3Key: 'functions.zip' },
        Role: attribute('Role'),
        Runtime: 'nodejs24.x',
        ...properties,
      },
    },
  ]);
  const template = {
    Resources: {
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: { RoleName: 'role', AssumeRolePolicyDocument: TRUST },
      },
      ...Object.fromEntries(resources),
      ...others,
    },
  };
  const assetPath = () => folder;
  return resolveStack({ stackName: 'test', template, assetPath });
}

export const functionArn = (name: string) =>
  `arn:aws:lambda:us-east-1:000000000000:function:${name}`;
