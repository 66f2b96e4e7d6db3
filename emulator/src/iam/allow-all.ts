import { deriveCredentials } from './credentials';
import { denialMessage } from './denial';
import type { Iam } from './iam';

const ARN = 'arn:aws:iam::000000000000:root';

/** An Iam without roles, for a service that runs alone, as in tests. */
export function allowAll(): Iam {
  const root = deriveCredentials('allow-all', 'AKIA', ARN);
  return {
    root,
    credentials: (accessKeyId) =>
      accessKeyId === root.accessKeyId
        ? { ...root, principal: { arn: ARN, root: true } }
        : undefined,
    credentialsForRole: (roleArn) => {
      throw new Error(`no role ${roleArn}: there is no stack`);
    },
    denial: (principal, request) => denialMessage(principal, [], request),
  };
}
