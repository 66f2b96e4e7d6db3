import { join } from 'node:path';
import { createStackIam } from '../../src/iam/stack-iam';
import {
  type LambdaOptions,
  type LambdaService,
  startLambda,
} from '../../src/services/lambda/lambda';
import type { ResolvedStack } from '../../src/template/model';
import { afterTest, useFolder } from '../support/clean-up';

/** Starts a Lambda service that is stopped after the test. */
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
  afterTest(() => lambda.stop());
  return lambda;
}
