/**
 * The resource policy of a REST API.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-authorization-flow.html
 */
import type { PolicyDocument } from '../../../iam/iam';
import { parsePolicy } from '../../../iam/policies';
import type { ResolvedResource } from '../../../template/model';

/** API Gateway completes `execute-api:/…` to the ARN of the API. */
const SHORT = /^execute-api:\//;

/** Throws UserError for what cannot be evaluated exactly. */
export function readResourcePolicy(
  { logicalId, type, properties }: ResolvedResource,
  apiArn: string,
): PolicyDocument | undefined {
  if (properties.Policy === undefined) return undefined;
  const policy = parsePolicy(properties.Policy, `${logicalId} (${type}).Policy`);
  const whole = (resource: string) => resource.replace(SHORT, `${apiArn}/`);
  return {
    Statement: policy.Statement.map((statement) => ({
      ...statement,
      Resource: [statement.Resource ?? []].flat().map(whole),
    })),
  };
}
