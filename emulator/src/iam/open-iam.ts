import { writeFileSync } from 'node:fs';
import type { ResolvedStack } from '../template/model';
import { resourcesOfType } from '../template/resources';
import { AccessRecorder } from './access-report';
import type { Iam } from './iam';
import { parsePolicy } from './policies';
import { createStackIam, loadRoles } from './stack-iam';

/** Opens the Iam of a stack. `close` writes the AccessReport, if `file` is set. */
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

/** Records the calls of the functions' roles. */
function createAccessRecorder(stack: ResolvedStack): AccessRecorder {
  const resources = ['AWS::S3::BucketPolicy', 'AWS::SQS::QueuePolicy'].flatMap((type) =>
    resourcesOfType(stack, type).map(({ logicalId, properties }) =>
      parsePolicy(properties.PolicyDocument, `${logicalId}.PolicyDocument`),
    ),
  );
  const used = new Set(
    resourcesOfType(stack, 'AWS::Lambda::Function').map(({ properties }) => properties.Role),
  );
  // The seed has no effect: no credentials are used.
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
