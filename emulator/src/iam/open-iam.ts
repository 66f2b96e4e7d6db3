import { writeFileSync } from 'node:fs';
import type { ResolvedStack } from '../template/model';
import { resourcesOfType } from '../template/resources';
import { AccessRecorder } from './access-report';
import type { Iam } from './iam';
import { parsePolicy } from './policies';
import { createStackIam, loadRoles } from './stack-iam';

/** The Iam of a stack; `close` writes the AccessReport into the file, where one is asked for. */
export function openIam(
  stack: ResolvedStack,
  seed: string,
  reportFile: string | undefined,
): { readonly iam: Iam; close(): void } {
  if (reportFile === undefined) {
    return { iam: createStackIam(stack, seed), close: () => undefined };
  }
  const recorder = createAccessRecorder(stack);
  return {
    iam: createStackIam(stack, seed, recorder),
    close: () => writeFileSync(reportFile, `${JSON.stringify(recorder.report(), null, 2)}\n`),
  };
}

/** Notes what the roles of the stack's functions do, and need. */
function createAccessRecorder(stack: ResolvedStack): AccessRecorder {
  const resources = ['AWS::S3::BucketPolicy', 'AWS::SQS::QueuePolicy'].flatMap((type) =>
    resourcesOfType(stack, type).map(({ logicalId, properties }) =>
      parsePolicy(properties.PolicyDocument, `${logicalId}.PolicyDocument`),
    ),
  );
  const used = new Set(
    resourcesOfType(stack, 'AWS::Lambda::Function').map(({ properties }) => properties.Role),
  );
  // Any seed will do: no credentials are asked for.
  const roles = [...loadRoles(stack, '').values()].filter(({ principal }) =>
    used.has(principal.arn),
  );
  return new AccessRecorder(
    roles.map(({ logicalId, principal: { arn }, policies: identity }) => ({
      role: logicalId,
      arn,
      identity,
      resources,
    })),
  );
}
