import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStackIam } from '../../src/iam/stack-iam';
import {
  type LambdaOptions,
  type LambdaService,
  startLambda,
} from '../../src/services/lambda/lambda';
import type { ResolvedStack } from '../../src/template/model';
import { resolveStack } from '../../src/template/resolve-stack';

const TRUST = {
  Statement: [
    { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } },
  ],
};

/** A stack with a role `Role` and functions by logical id, whose code is in ./functions. */
export function functionStack(
  functions: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  others: Readonly<Record<string, unknown>> = {},
): ResolvedStack {
  const resources = Object.entries(functions).map(([logicalId, properties]) => [
    logicalId,
    {
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: logicalId,
        Code: { S3Bucket: 'assets', S3Key: 'functions.zip' },
        Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
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
  const assetPath = () => join(__dirname, 'functions');
  return resolveStack({ stackName: 'test', template, assetPath });
}

export const functionArn = (name: string) =>
  `arn:aws:lambda:us-east-1:000000000000:function:${name}`;

const cleanUps: (() => Promise<void>)[] = [];

/** A folder that is gone after the test. */
export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lambda-'));
  cleanUps.unshift(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A Lambda service that is stopped after the test. */
export function useLambda(
  stack: ResolvedStack,
  options: Partial<LambdaOptions> = {},
): LambdaService {
  const dataDir = options.dataDir ?? useFolder();
  const lambda = startLambda({
    stack,
    iam: createStackIam(stack, 'seed'),
    endpoints: {
      s3: 'http://127.0.0.1:1',
      dynamodb: 'http://127.0.0.1:2',
      lambda: 'http://127.0.0.1:3',
    },
    dataDir,
    logDir: join(dataDir, 'logs'),
    ...options,
  });
  cleanUps.unshift(() => lambda.stop());
  return lambda;
}

/** Done after the test, the last one first. */
export function later(step: () => Promise<void>): void {
  cleanUps.unshift(step);
}

/** Call it in afterEach. */
export async function cleanUp(): Promise<void> {
  for (const step of cleanUps.splice(0)) await step();
}

/** Waits until the condition holds; the test's own time-out ends it otherwise. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
