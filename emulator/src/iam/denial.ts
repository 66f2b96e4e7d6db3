import type { AccessRequest, PolicyDocument, Principal } from './iam';
import { decide } from './policies';

/** Returns AWS's message for a refusal; undefined: allowed. */
export function denialMessage(
  principal: Principal,
  identityPolicies: readonly PolicyDocument[],
  request: AccessRequest,
): string | undefined {
  const { allowed, deniedBy } = decide(principal, identityPolicies, request);
  if (allowed) return undefined;
  const because =
    deniedBy === undefined
      ? `because no identity-based policy allows the ${request.action} action`
      : `with an explicit deny in ${deniedBy === 'identity' ? 'an identity' : 'a resource'}-based policy`;
  return (
    `User: ${principal.arn} is not authorized to perform: ${request.action} ` +
    `on resource: "${request.resource}" ${because}`
  );
}
